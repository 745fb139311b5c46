// The rows of what waits: filtered, alike ones folded, and only those near the window drawn.

import { LitElement, html, nothing, repeat } from "../../vendor/lit/lit.js";
import { EVERYTHING, WHAT, choices, isFiltering, passes } from "../../filtering.js";
import { Folds } from "../../folding.js";
import { Following } from "../../following.js";
import { isOpen } from "../../requests.js";
import { readText } from "../../shown.js";
import { styles } from "../../styles.js";
import { now, Ticking } from "../../time.js";
import "../sayso-row/sayso-row.js";

/** @import {Filter} from "../../filtering.js" */
/** @import {Item} from "../../folding.js" */
/** @import {Asked, Card} from "../../types.js" */
/** @import {Waiting} from "../../waiting.js" */

const STEP = 78; // pixels from one row to the next: 70 and the gap
const BESIDE = 10; // rows drawn beyond each edge of the window
const ALL = 60; // up to so many rows all are drawn
const FEW = 5; // up to so many need no search

/** The clicks on its rows are the inbox's. */
export class SaysoList extends LitElement {
  static properties = {
    waiting: { attribute: false },
    filter: { state: true },
    first: { state: true },
  };

  static styles = styles(import.meta.url);

  constructor() {
    super();
    /** @type {Waiting | null} */
    this.waiting = null;
    /** @type {Filter} */
    this.filter = { ...EVERYTHING };
    this.folds = new Folds();
    /** @type {Item[]} */
    this.items = [];
    /** The first row that is drawn. */
    this.first = 0;
    /** Whether the search stands above the list: it neither comes nor goes under a hand. */
    this.searchable = false;
    this.onScroll = () => this.#measure();
    new Ticking(this);
    new Following(this);
  }

  /** @override */
  connectedCallback() {
    super.connectedCallback();
    addEventListener("scroll", this.onScroll, { passive: true });
    addEventListener("resize", this.onScroll, { passive: true });
  }

  /** @override */
  disconnectedCallback() {
    super.disconnectedCallback();
    removeEventListener("scroll", this.onScroll);
    removeEventListener("resize", this.onScroll);
    if (this.waiting) this.waiting.wanted = () => true;
  }

  /** The requests that have a row, in the order of the rows. */
  get shown() {
    return this.items.flatMap((item) => ("card" in item ? [item.id] : []));
  }

  /** @override */
  willUpdate() {
    const { waiting, filter } = this;
    if (!waiting) return;
    waiting.wanted = (card) => passes(filter, card);
    const mayMove = waiting.mayTidy();
    if (mayMove) this.searchable = isFiltering(filter) || waiting.rows.length > FEW;
    const passing = waiting.rows.filter((card) => passes(filter, card));
    this.items = this.folds.items(passing, waiting.selected, mayMove);
    this.first = Math.max(0, Math.min(this.first, this.items.length - this.#many()));
  }

  /** @override */
  updated() {
    const [from, to] = this.#drawn();
    // Space for the rows that are not drawn. Not by an attribute: the policy on content forbids that.
    const list = this.renderRoot.querySelector("ul");
    list?.style.setProperty("--before", `${from * STEP}px`);
    list?.style.setProperty("--after", `${(this.items.length - to) * STEP}px`);
  }

  #many() {
    return Math.ceil(innerHeight / STEP) + 2 * BESIDE;
  }

  /** @returns {[number, number]} the rows that are drawn: the first, and the one after the last */
  #drawn() {
    if (this.items.length <= ALL) return [0, this.items.length];
    return [this.first, Math.min(this.items.length, this.first + this.#many())];
  }

  #measure() {
    const list = this.renderRoot.querySelector("ul");
    if (!list || this.items.length <= ALL) return;
    // On a desk the list scrolls, on a phone the page does.
    const above = list.scrollTop + Math.max(0, -list.getBoundingClientRect().top);
    const first = Math.max(0, Math.floor(above / STEP) - BESIDE);
    if (Math.abs(first - this.first) >= BESIDE / 2 || first === 0) this.first = first;
  }

  /**
   * Brings a row into the window.
   * @param {string} id
   * @param {boolean} focus whether the focus goes there too
   */
  async reveal(id, focus) {
    await this.updateComplete;
    const at = this.items.findIndex((item) => item.id === id);
    const [from, to] = this.#drawn();
    if (at < 0) return;
    if (at < from || at >= to) {
      this.first = Math.max(0, at - BESIDE);
      await this.updateComplete;
    }
    const row = /** @type {HTMLElement | null} */ (this.renderRoot.querySelector(`sayso-row[data-id="${CSS.escape(id)}"]`));
    row?.scrollIntoView({ block: "nearest" });
    if (focus) row?.focus({ preventScroll: true });
  }

  /** Goes to the search, if there is one. */
  search() {
    this.renderRoot.querySelector("input")?.focus();
  }

  /** @override */
  render() {
    const { waiting } = this;
    if (!waiting) return nothing;
    const [from, to] = this.#drawn();
    const all = this.items.length <= ALL;
    return html`${this.searchable ? this.#search(waiting) : nothing}
      <ul @scroll=${this.onScroll}>
        ${repeat(this.items.slice(from, to), (item) => item.id, (item, index) =>
          html`<li aria-setsize=${all ? nothing : this.items.length} aria-posinset=${all ? nothing : from + index + 1}>${"card" in item ? this.#row(waiting, item.card) : this.#fold(item)}</li>`)}
      </ul>`;
  }

  /** @param {Waiting} waiting */
  #search({ rows }) {
    const { filter } = this;
    const { agents, sessions } = choices(rows);
    const waits = rows.filter(isOpen);
    const found = waits.filter((card) => passes(filter, card)).length;
    return html`<form role="search" @submit=${(/** @type {Event} */ event) => event.preventDefault()} @input=${this.#onInput} @keydown=${this.#onKey}>
      <input type="search" name="text" aria-label="Search what waits" placeholder="Search" autocomplete="off" spellcheck="false" .value=${filter.text} />
      ${this.#choice("what", "Severity or kind", [...WHAT])}
      ${agents.length > 1 || filter.agent ? this.#choice("agent", "Agent", [["", "Every agent"], ...agents.map((name) => [name, name])]) : nothing}
      ${sessions.length > 1 || filter.session ? this.#choice("session", "Session", [["", "Every session"], ...sessions]) : nothing}
      <p class="meta num" role="status">${isFiltering(filter) ? html`${found} of ${waits.length} shown <button class="quiet" type="button" @click=${this.#clear}>Show all</button>` : nothing}</p>
    </form>`;
  }

  /**
   * @param {keyof Filter} name
   * @param {string} label
   * @param {(readonly string[])[]} options values and what they are called
   */
  #choice(name, label, options) {
    return html`<select name=${name} aria-label=${label}>
      ${options.map(([value, words]) => html`<option value=${value} ?selected=${this.filter[name] === value}>${words}</option>`)}
    </select>`;
  }

  /** @param {Event} event */
  #onInput({ target }) {
    if (!(target instanceof HTMLInputElement || target instanceof HTMLSelectElement)) return;
    this.filter = { ...this.filter, [target.name]: target.value };
    this.first = 0;
  }

  /** @param {KeyboardEvent} event Escape empties the search, and leaves it where it is empty */
  #onKey(event) {
    if (event.key !== "Escape" || !(event.target instanceof HTMLInputElement)) return;
    event.preventDefault();
    if (this.filter.text === "") event.target.blur();
    else this.filter = { ...this.filter, text: "" };
  }

  #clear() {
    this.filter = { ...EVERYTHING };
    this.search();
  }

  /**
   * @param {Waiting} waiting
   * @param {Card | Asked} card
   */
  #row(waiting, card) {
    // Rows are drawn anew only when their words change: each second with a limit, else each minute.
    const step = card.status === "pending" && card.expires_at ? 1000 : 10_000;
    return html`<sayso-row
      data-id=${card.request_id}
      .card=${card}
      .me=${waiting.me.person.name}
      .now=${Math.floor(now() / step) * step}
      .current=${waiting.selected === card.request_id}
      .fresh=${waiting.fresh.has(card.request_id)}
    ></sayso-row>`;
  }

  /** @param {Extract<Item, {key: string}>} item */
  #fold({ key, more, open, of }) {
    const words = open ? "Fold them again" : `and ${more} more alike`;
    return html`<button class="fold" type="button" aria-expanded=${open} @click=${() => this.#toggle(key)}>
      <b>${words}</b><span class="meta">${readText(of.tool)} · ${readText(of.agent)}</span>
    </button>`;
  }

  /** @param {string} key */
  #toggle(key) {
    this.folds.toggle(key);
    this.requestUpdate();
  }
}

customElements.define("sayso-list", SaysoList);
