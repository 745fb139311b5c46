// What the audit log adds up to: the figures, bars for each day, and the tables behind them.

import { LitElement, html, nothing, svg } from "../../vendor/lit/lit.js";
import { waitOf } from "../../audit.js";
import { asShown } from "../../shown.js";
import { styles } from "../../styles.js";
import "../sayso-shown/sayso-shown.js";

/** @import {Day, Figures} from "../../audit.js" */
/** @typedef {"asked" | "approved" | "rejected" | "otherwise"} Bar */

const MOST_DAYS = 92;
const FEWEST = 14; // so that the bar of a single day is no wall
const DAY = 86_400_000;
const WIDE = 10; // the width of a day in the units of the drawing
const HIGH = 100;

export class SaysoAuditFigures extends LitElement {
  static properties = { figures: { attribute: false }, chosen: { attribute: false } };

  static styles = styles(import.meta.url);

  constructor() {
    super();
    /** @type {Figures | null} */
    this.figures = null;
    /** Whether the time was chosen. */
    this.chosen = false;
  }

  /** @override */
  render() {
    const found = this.figures;
    if (found === null) return nothing;
    const asked = found.effects.ask ?? 0;
    const days = withoutGaps(found.days);
    return html`<section aria-labelledby="figures">
      <h2 id="figures">${this.chosen ? "In this time" : "The last 30 days"}</h2>
      ${found.complete ? nothing : html`<p class="meta">The log is long: only its newest ${found.entries} entries are added up. Choose less time.</p>`}
      <dl class="num">
        ${this.#figure("Calls checked", sum(Object.values(found.effects)))}
        ${this.#figure("Asked of people", asked)}
        ${this.#figure("Half answered within", waitOf(found.waited_median))}
        ${this.#figure("Nine in ten within", waitOf(found.waited_p90))}
        ${this.#figure("A rule would have saved", found.rule_would_save)}
      </dl>
      ${days.length === 0
        ? nothing
        : html`<div class="plots">${this.#plot("Questions a day", days, ["asked"])} ${this.#plot("How they ended", days, ["approved", "rejected", "otherwise"])}</div>
            ${this.#table(found.days)}`}
      ${found.tools.length === 0 ? nothing : this.#tools(found)}
    </section>`;
  }

  /**
   * @param {string} name
   * @param {unknown} value
   */
  #figure(name, value) {
    return html`<div><dt class="meta">${name}</dt><dd>${value}</dd></div>`;
  }

  /**
   * @param {string} title
   * @param {Day[]} days
   * @param {Bar[]} bars from the bottom up
   */
  #plot(title, days, bars) {
    const highest = Math.max(1, ...days.map((day) => sum(bars.map((bar) => day[bar]))));
    const width = days.length * WIDE;
    const told = bars.map((bar) => `${sum(days.map((day) => day[bar]))} ${bar}`).join(", ");
    return html`<figure>
      <figcaption>${title} <span class="meta num">at most ${highest}</span></figcaption>
      <svg viewBox="0 0 ${width} ${HIGH}" preserveAspectRatio="none" role="img" aria-label="${title}, ${days[0]?.day} to ${days.at(-1)?.day}: ${told}; the table below has each day.">
        ${days.map((day, place) => {
          let top = HIGH;
          return bars.map((bar) => {
            const height = (day[bar] / highest) * HIGH;
            top -= height;
            return svg`<rect class=${bar} x=${place * WIDE + 1} y=${top} width=${WIDE - 2} height=${height}></rect>`;
          });
        })}
      </svg>
      <p class="ends meta num"><span>${days[0]?.day}</span><span>${days.at(-1)?.day}</span></p>
      ${bars.length > 1 ? html`<p class="legend meta">${bars.map((bar) => html`<span class=${bar}>${bar}</span>`)}</p>` : nothing}
    </figure>`;
  }

  /** @param {Day[]} days */
  #table(days) {
    return html`<details>
      <summary>Each day as a table</summary>
      <div class="wide" tabindex="0" role="region" aria-label="Each day">
        <table class="num">
          <thead><tr><th scope="col">Day (UTC)</th><th scope="col">Checked</th><th scope="col">Asked</th><th scope="col">Approved</th><th scope="col">Rejected</th><th scope="col">Otherwise</th></tr></thead>
          <tbody>
            ${[...days].reverse().map((day) => html`<tr><th scope="row">${day.day}</th><td>${day.checked}</td><td>${day.asked}</td><td>${day.approved}</td><td>${day.rejected}</td><td>${day.otherwise}</td></tr>`)}
          </tbody>
        </table>
      </div>
    </details>`;
  }

  /** @param {Figures} found */
  #tools(found) {
    return html`<div class="wide" tabindex="0" role="region" aria-label="What is asked about most">
      <table class="num tools">
        <caption>What is asked about most</caption>
        <thead><tr><th scope="col">Tool</th><th scope="col">Asked</th><th scope="col">Approved</th><th scope="col">Rejected</th><th scope="col">A rule would have saved</th></tr></thead>
        <tbody>
          ${found.tools.map(
            (one) =>
              html`<tr><th scope="row"><a href="#/audit?tool=${encodeURIComponent(one.tool)}"><sayso-shown line .runs=${asShown(one.tool)}></sayso-shown></a></th><td>${one.asked}</td><td>${one.approved}</td><td>${one.rejected}</td><td>${one.rule_would_save || "–"}</td></tr>`,
          )}
        </tbody>
      </table>
    </div>`;
  }
}

/** @param {number[]} numbers */
function sum(numbers) {
  return numbers.reduce((total, one) => total + one, 0);
}

/**
 * The days with those on which nothing happened, the newest of them.
 * @param {Day[]} days
 * @returns {Day[]}
 */
function withoutGaps(days) {
  const last = days.at(-1);
  if (!last) return [];
  const known = new Map(days.map((day) => [day.day, day]));
  const end = Date.parse(last.day);
  const first = Math.max(Math.min(Date.parse(days[0]?.day ?? last.day), end - (FEWEST - 1) * DAY), end - (MOST_DAYS - 1) * DAY);
  /** @type {Day[]} */
  const found = [];
  for (let at = first; at <= end; at += DAY) {
    const day = new Date(at).toISOString().slice(0, 10);
    found.push(known.get(day) ?? { day, checked: 0, asked: 0, approved: 0, rejected: 0, otherwise: 0 });
  }
  return found;
}

customElements.define("sayso-audit-figures", SaysoAuditFigures);
