// What will run: tool and arguments complete, what they touch, and the change they would make.

import { LitElement, html, nothing } from "../../vendor/lit/lit.js";
import { effectWord } from "../../results.js";
import { oddities, plainText } from "../../shown.js";
import { styles } from "../../styles.js";
import "../sayso-diff/sayso-diff.js";
import "../sayso-shown/sayso-shown.js";

/** @import {Argument, Card, Target} from "../../types.js" */

const SHORT = 100;

export class SaysoWhat extends LitElement {
  static properties = { card: { attribute: false } };

  static styles = styles(import.meta.url);

  constructor() {
    super();
    /** @type {Card | null} */
    this.card = null;
  }

  /** @override */
  render() {
    const { card } = this;
    if (!card) return nothing;
    const { what } = card;
    const deciding = what.targets.filter((target) => target.decides);
    const parts = deciding.map((target) => plainText(target.text));
    const asTool = deciding.some((target) => target.kind === "mcp" || target.kind === "name");
    // A single target that is marked where it stands need not be said twice.
    const marked = asTool || what.arguments.some((argument) => parts.some((part) => part.length > 1 && plainText(argument.value).includes(part)));
    const listed = what.targets.length > 1 || (what.targets.length === 1 && !marked);
    const tool = html`<sayso-shown line .runs=${card.tool}></sayso-shown>`;
    const odd = oddities([
      card.action,
      card.tool,
      ...[...what.arguments, ...(card.edited?.arguments ?? [])].flatMap((argument) => [argument.name, argument.value]),
      what.diff,
    ]);
    return html`
      <h2>${card.runs ? "What will run" : "What the agent wants you to agree to; nothing runs by it"}</h2>
      ${card.edited
        ? html`<p class="edited">Edited by <sayso-shown line .runs=${card.edited.by}></sayso-shown>. The agent asked for:</p>
            <dl class="asked">${card.edited.arguments.map((argument) => this.#argument(argument, []))}</dl>
            <p class="edited">What will run:</p>`
        : nothing}
      <div class="call">
        <div class="tool">
          ${asTool ? html`<mark>${tool}</mark>` : tool}
          ${card.server ? html`<span class="of">on <sayso-shown line .runs=${card.server}></sayso-shown></span>` : nothing}
        </div>
        <dl>
          ${what.arguments.map((argument) => this.#argument(argument, parts))}
        </dl>
      </div>
      <p class="meta">${what.note}</p>
      ${odd.length === 0
        ? nothing
        : html`<ul class="odd meta" aria-label="Hidden and odd characters">
            ${odd.map((words) => html`<li>${words}</li>`)}
          </ul>`}
      ${listed
        ? html`<h3>What it touches</h3>
            <ul class="targets">
              ${what.targets.map((target) => this.#target(target))}
            </ul>`
        : nothing}
      ${what.diff
        ? html`<h3>The change, as the calling program describes it</h3>
            <sayso-diff .diff=${what.diff}></sayso-diff>`
        : nothing}
    `;
  }

  /**
   * @param {Argument} argument
   * @param {string[]} parts
   */
  #argument({ name, value }, parts) {
    const text = plainText(value);
    const short = text.length <= SHORT && !text.includes("\n");
    return html`<div class="argument ${short ? "short" : ""}">
      <dt><sayso-shown line .runs=${name}></sayso-shown></dt>
      <dd>${text === "" ? html`<span class="empty">empty</span>` : html`<sayso-shown .runs=${value} .parts=${parts}></sayso-shown>`}</dd>
    </div>`;
  }

  /** @param {Target} target */
  #target({ kind, text, effect, decides }) {
    return html`<li class=${decides ? "decides" : ""}>
      <span class="effect ${effect}">${effectWord(effect)}</span>
      <span class="kind">${kind}</span>
      <span class="text"><sayso-shown line .runs=${text}></sayso-shown></span>
      ${decides ? html`<span class="because">decides</span>` : nothing}
    </li>`;
  }
}

customElements.define("sayso-what", SaysoWhat);
