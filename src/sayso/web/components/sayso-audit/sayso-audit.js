// The audit log: filters that live in the address, what it adds up to, and its entries, a page at a time.

import { LitElement, html, nothing, repeat } from "../../vendor/lit/lit.js";
import { alertOf } from "../../alert.js";
import { Refused } from "../../api.js";
import { addressOf, entriesOf, figuresOf, FILTERS, kindOf, remarksOf, subjectOf, wanted } from "../../audit.js";
import { asShown } from "../../shown.js";
import { styles } from "../../styles.js";
import { at, inFull, now } from "../../time.js";
import "../sayso-audit-figures/sayso-audit-figures.js";
import "../sayso-audit-story/sayso-audit-story.js";
import "../sayso-shown/sayso-shown.js";

/** @import {Entry, EntryPage, Figures} from "../../audit.js" */
/** @import {Waiting} from "../../waiting.js" */

export class SaysoAudit extends LitElement {
  static properties = {
    waiting: { attribute: false },
    page: { state: true },
    figures: { state: true },
    busy: { state: true },
    problem: { state: true },
  };

  static styles = styles(import.meta.url);

  constructor() {
    super();
    /** @type {Waiting | null} */
    this.waiting = null;
    /** @type {EntryPage | null} */
    this.page = null;
    /** @type {Figures | null} */
    this.figures = null;
    this.busy = false;
    /** @type {Refused | null} */
    this.problem = null;
    this.filters = wanted();
    /** Which loading is the latest: an answer to an earlier one is dropped. */
    this.turn = 0;
    this.onAddress = () => {
      if (!location.hash.startsWith("#/audit/")) void this.#load();
    };
  }

  /** @override */
  connectedCallback() {
    super.connectedCallback();
    document.title = "sayso · Audit";
    addEventListener("popstate", this.onAddress);
  }

  /** @override */
  disconnectedCallback() {
    super.disconnectedCallback();
    removeEventListener("popstate", this.onAddress);
  }

  /** @override */
  firstUpdated() {
    void this.#load();
  }

  async #load() {
    const api = this.waiting?.api;
    if (!api) return;
    const turn = ++this.turn;
    this.filters = wanted();
    this.busy = true;
    try {
      const [page, figures] = await Promise.all([entriesOf(api, this.filters), figuresOf(api, this.filters)]);
      if (turn !== this.turn) return;
      [this.page, this.figures, this.problem] = [page, figures, null];
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (turn === this.turn) this.problem = error;
    } finally {
      if (turn === this.turn) this.busy = false;
    }
  }

  /** @param {SubmitEvent} event */
  #onFilter(event) {
    event.preventDefault();
    const form = new FormData(/** @type {HTMLFormElement} */ (event.target));
    const filters = new URLSearchParams();
    for (const [name] of FILTERS) {
      const value = String(form.get(name) ?? "").trim();
      if (value) filters.set(name, value);
    }
    this.#turnTo(filters);
  }

  /** @param {URLSearchParams} filters */
  #turnTo(filters) {
    history.pushState(null, "", addressOf(filters));
    void this.#load();
  }

  #clear() {
    /** @type {HTMLFormElement | null} */ (this.renderRoot.querySelector("form"))?.reset();
    this.#turnTo(new URLSearchParams());
  }

  async #older() {
    if (this.page?.next == null) return;
    const filters = new URLSearchParams(this.filters);
    filters.set("before", String(this.page.next));
    this.#turnTo(filters);
    await this.updateComplete;
    /** @type {HTMLElement | null} */ (this.renderRoot.querySelector("#entries"))?.focus();
  }

  /** @override */
  render() {
    return html`<main>
      <h1>Audit</h1>
      <p class="meta">Every verdict and every decision. What is secret was taken out before it was written.</p>
      ${this.#form()} ${alertOf(this.problem)}
      ${this.figures ? html`<sayso-audit-figures .figures=${this.figures} .chosen=${this.filters.has("since") || this.filters.has("until")}></sayso-audit-figures>` : nothing}
      ${this.page ? this.#entries(this.page) : nothing}
    </main>`;
  }

  #form() {
    return html`<form @submit=${this.#onFilter} aria-label="Filter">
      ${FILTERS.map(
        ([name, label]) =>
          html`<label>${label}<input name=${name} type=${name === "since" || name === "until" ? "date" : "text"} autocomplete="off" spellcheck="false" .value=${this.filters.get(name) ?? ""} /></label>`,
      )}
      <div class="acts">
        <button type="submit">Filter</button>
        <button type="button" class="quiet" ?hidden=${[...this.filters].length === 0} @click=${this.#clear}>Show everything</button>
      </div>
    </form>`;
  }

  /** @param {EntryPage} page */
  #entries(page) {
    return html`<section aria-labelledby="entries" aria-busy=${this.busy}>
      <h2 id="entries" tabindex="-1">Entries</h2>
      ${page.entries.length === 0 ? html`<p class="meta">Nothing fits. Take a filter away, or choose more time.</p>` : nothing}
      <ol>
        ${repeat(page.entries, (one) => one.seq, (one) => this.#entry(one))}
      </ol>
      <p class="acts">
        ${this.filters.has("before") ? html`<button type="button" @click=${() => history.back()}>Back</button>` : nothing}
        ${page.next === null ? nothing : html`<button type="button" ?disabled=${this.busy} @click=${this.#older}>Older entries</button>`}
      </p>
    </section>`;
  }

  /** @param {Entry} entry */
  #entry(entry) {
    const subject = subjectOf(entry) || kindOf(entry);
    const said = html`<sayso-shown line .runs=${asShown(subject)}></sayso-shown>`;
    return html`<li>
      <span class="meta num" title=${inFull(entry.at)}>${at(entry.at, now()).replace(/^(at|on) /, "")}</span>
      <span class="kind">${kindOf(entry)} ${entry.effect ? html`<b class=${entry.effect}>${entry.effect}</b>` : nothing}</span>
      <span class="what">
        ${entry.call_id ? html`<a href="#/audit/${encodeURIComponent(entry.call_id)}">${said}</a>` : said}
        <span class="meta"><sayso-shown line .runs=${asShown(remarksOf(entry))}></sayso-shown></span>
      </span>
    </li>`;
  }
}

customElements.define("sayso-audit", SaysoAudit);
