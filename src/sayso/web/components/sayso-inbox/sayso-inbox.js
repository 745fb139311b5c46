// The inbox: the list of what waits on one side, the card on the other; on a phone one at a time.

import { LitElement, html, nothing, repeat } from "../../vendor/lit/lit.js";
import { Following } from "../../following.js";
import { actOf } from "../../keys.js";
import { readText } from "../../shown.js";
import { styles } from "../../styles.js";
import { now, Ticking } from "../../time.js";
import { isOpen, isQuestion, titleOf } from "../../requests.js";
import { SaysoApprovalCard } from "../sayso-approval-card/sayso-approval-card.js";
import { SaysoKeys } from "../sayso-keys/sayso-keys.js";
import { SaysoList } from "../sayso-list/sayso-list.js";
import { SaysoQuestion } from "../sayso-question/sayso-question.js";
import "../sayso-by-rule/sayso-by-rule.js";
import "../sayso-freeze/sayso-freeze.js";
import "../sayso-row/sayso-row.js";
import "../sayso-shown/sayso-shown.js";

/** @import {Asked, Card} from "../../types.js" */
/** @import {Waiting} from "../../waiting.js" */

const LIST = "#/inbox";

/** @returns {string | null} the request that the address names */
function addressed() {
  const id = location.hash.startsWith(`${LIST}/`) ? location.hash.slice(LIST.length + 1) : "";
  return /^[\w-]+$/.test(id) ? id : null;
}

export class SaysoInbox extends LitElement {
  static properties = { waiting: { attribute: false } };

  static styles = styles(import.meta.url);

  constructor() {
    super();
    /** @type {Waiting | null} */
    this.waiting = null;
    this.wide = matchMedia("(min-width: 760px)");
    this.announced = 0;
    this.focusNext = false;
    new Ticking(this);
    new Following(this);
    this.onKey = (/** @type {KeyboardEvent} */ event) => this.#onKey(event);
    this.onRoute = () => this.#follow(addressed());
    this.onWidth = () => this.requestUpdate();
  }

  /** @override */
  connectedCallback() {
    super.connectedCallback();
    document.addEventListener("keydown", this.onKey);
    addEventListener("popstate", this.onRoute);
    this.wide.addEventListener("change", this.onWidth);
  }

  /** @override */
  disconnectedCallback() {
    super.disconnectedCallback();
    document.removeEventListener("keydown", this.onKey);
    removeEventListener("popstate", this.onRoute);
    this.wide.removeEventListener("change", this.onWidth);
  }

  /** @override */
  firstUpdated() {
    if (!this.waiting) return;
    // A row that was decided elsewhere stays while somebody may be about to press one near it.
    this.waiting.mayTidy = () => !this.renderRoot.querySelector("sayso-list:hover, sayso-list:focus-within, ul:hover, ul:focus-within");
    this.#follow(addressed());
  }

  get card() {
    const found = this.renderRoot.querySelector("sayso-approval-card");
    return found instanceof SaysoApprovalCard ? found : null;
  }

  get list() {
    const found = this.renderRoot.querySelector("sayso-list");
    return found instanceof SaysoList ? found : null;
  }

  /** Takes the reader to the top of what is open. */
  async #focusTitle() {
    const open = this.renderRoot.querySelector("sayso-approval-card, sayso-question");
    if (!(open instanceof SaysoApprovalCard || open instanceof SaysoQuestion)) return;
    await open.updateComplete;
    open.focusTitle();
  }

  /** @override */
  willUpdate() {
    const { waiting } = this;
    if (!waiting?.loaded || waiting.selected !== null || !this.wide.matches) return;
    if (!this.hasUpdated && addressed() !== null) return; // back from another page: the address says what is opened
    const first = waiting.rows.find(isOpen);
    if (first) this.#turnTo(first.request_id);
  }

  /** @override */
  updated() {
    const { waiting } = this;
    if (!waiting) return;
    document.title = waiting.count > 0 ? `sayso · Inbox (${waiting.count})` : "sayso · Inbox";
    this.toggleAttribute("one", waiting.selected !== null);
    if (!this.focusNext) return;
    if (waiting.current) void this.#focusTitle();
    else this.renderRoot.querySelector("h1")?.focus();
    this.focusNext = waiting.selected !== null && !waiting.current;
  }

  /** @override */
  render() {
    const { waiting } = this;
    if (!waiting?.loaded) {
      const away = waiting?.connection === "offline" || waiting?.failed;
      return html`<p class="starting meta" role="status">${away ? "The inbox cannot be read now. Trying again…" : ""}</p>`;
    }
    const { rows, current } = waiting;
    const empty = rows.length === 0;
    return html`
      <sayso-freeze .waiting=${waiting} .freezes=${waiting.freezes}></sayso-freeze>
      ${waiting.problems.length > 0 ? this.#problems(waiting) : nothing}
      <main class=${empty && !current ? "empty" : ""}>
        <section class="list" aria-label="Waiting">${empty ? this.#nothing(waiting) : this.#list(waiting)}
          ${this.#snoozed(waiting)}
          <sayso-by-rule .calls=${waiting.byRule} .now=${Math.floor(now() / 10_000) * 10_000}></sayso-by-rule>
          <sayso-freeze quiet .waiting=${waiting} .freezes=${waiting.freezes}></sayso-freeze>
        </section>
        ${current
          ? html`<section class="card" aria-label="The request">
              ${isQuestion(current)
                ? html`<sayso-question .question=${current} .waiting=${waiting} @sayso-next=${this.#onNext}></sayso-question>`
                : html`<sayso-approval-card .card=${current} .waiting=${waiting} @sayso-next=${this.#onNext}></sayso-approval-card>`}
            </section>`
          : nothing}
      </main>
      <div class="unseen" aria-live="polite">${this.#news(waiting)}</div>
      <sayso-keys></sayso-keys>
    `;
  }

  /** @param {Waiting} waiting says on top that settings may not count as they are written */
  #problems(waiting) {
    return html`<div class="problems" role="alert">
      <b>Something is wrong with the settings.</b> Until it is mended their allow rules do not count.
      <ul>${waiting.problems.map((problem) => html`<li><sayso-shown .runs=${problem}></sayso-shown></li>`)}</ul>
    </div>`;
  }

  /** @param {Waiting} waiting */
  #list(waiting) {
    const fresh = waiting.fresh.size;
    const words = html`Waiting for you${fresh > 0 ? html`<span class="new">${fresh} new</span>` : nothing}`;
    return html`${waiting.current ? html`<h2>${words}</h2>` : html`<h1 class="small" tabindex="-1">${words}</h1>`}
      <sayso-list .waiting=${waiting} @click=${this.#onRow}></sayso-list>`;
  }

  /** @param {Waiting} waiting */
  #nothing(waiting) {
    return html`<h1 tabindex="-1">Nothing waits for you.</h1>
      ${waiting.recent.length === 0
        ? html`<p class="meta">What an agent needs a person for appears here by itself.</p>`
        : html`<h2>Decided last</h2>
            <ul @click=${this.#onRow}>
              ${repeat(waiting.recent, (card) => card.request_id, (card) => this.#row(card))}
            </ul>`}`;
  }

  /** @param {Waiting} waiting what was put off, folded */
  #snoozed({ snoozed }) {
    if (snoozed.length === 0) return nothing;
    return html`<details class="snoozed">
      <summary>Put off<span class="num">${snoozed.length}</span></summary>
      <ul @click=${this.#onRow}>
        ${repeat(snoozed, (card) => card.request_id, (card) => this.#row(card))}
      </ul>
    </details>`;
  }

  /** @param {Card | Asked} card */
  #row(card) {
    const { waiting } = this;
    const time = now();
    // Rows are drawn anew only when their words change: each second with a limit, else each minute.
    const step = card.status === "pending" && (card.expires_at || (!isQuestion(card) && card.asking.snoozed_until)) ? 1000 : 10_000;
    return html`<li>
      <sayso-row
        data-id=${card.request_id}
        .card=${card}
        .me=${waiting?.me.person.name ?? ""}
        .now=${Math.floor(time / step) * step}
        .current=${waiting?.selected === card.request_id}
        .fresh=${waiting?.fresh.has(card.request_id) ?? false}
      ></sayso-row>
    </li>`;
  }

  /** @param {Waiting} waiting what a screen reader is told when something came */
  #news(waiting) {
    const fresh = waiting.fresh.size;
    if (fresh === 0) return "";
    const last = waiting.rows.findLast((card) => waiting.fresh.has(card.request_id));
    return `${fresh} new: ${readText(titleOf(last)).slice(0, 120)}`;
  }

  /**
   * Turns to a request by its id, and lets the address say so.
   * @param {string | null} id
   */
  #turnTo(id) {
    const address = id === null ? LIST : `${LIST}/${id}`;
    if (!this.wide.matches && id !== null && this.waiting?.selected === null) {
      history.pushState({ fromList: true }, "", address);
    } else {
      history.replaceState(history.state, "", address);
    }
    this.#follow(id);
  }

  /** @param {string | null} id */
  #follow(id) {
    const { waiting, wide } = this;
    if (!waiting) return;
    void waiting.select(id);
    if (!wide.matches) scrollTo(0, 0);
  }

  /** @param {MouseEvent} event */
  #onRow(event) {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    const row = event.composedPath().find((at) => at instanceof Element && at.localName === "sayso-row");
    const id = row instanceof Element && row.getAttribute("data-id");
    if (!id) return;
    event.preventDefault();
    this.focusNext = !this.wide.matches;
    this.#turnTo(id);
  }

  /** Leaves the card; on a wide page the one that waits longest takes its place. */
  toList() {
    if (history.state?.fromList) history.back();
    else this.#turnTo(null);
  }

  #onNext() {
    const next = this.waiting?.next ?? null;
    if (next === null && !this.wide.matches) {
      this.toList();
      return;
    }
    this.focusNext = true;
    this.#turnTo(next);
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const act = actOf(event);
    const { card } = this;
    if (act === null) return;
    if (act === "approve") card?.decision?.approve();
    else if (act === "reject") void card?.decision?.openNote();
    else if (act === "session" || act === "always") card?.decision?.keepByKey(act);
    else if (act === "never") card?.decision?.neverByKey();
    else if (act === "explain") card?.toggleExplanation();
    else if (act === "help") this.showKeys();
    else if (act === "search") this.list?.search();
    else if (act === "next") this.#nextIfDecided();
    else if (act === "back") this.#escape();
    else this.#step(act === "down" ? 1 : -1);
    event.preventDefault();
  }

  showKeys() {
    const sheet = this.renderRoot.querySelector("sayso-keys");
    if (sheet instanceof SaysoKeys) sheet.show();
  }

  #nextIfDecided() {
    const current = this.waiting?.current;
    if (current && !isOpen(current)) this.#onNext();
  }

  #escape() {
    if (this.card?.decision?.noting) void this.card.decision.closeNote();
    else if (!this.wide.matches && this.waiting?.selected) this.toList();
  }

  /** @param {1 | -1} by */
  #step(by) {
    const { waiting } = this;
    if (!waiting) return;
    const ids = this.list?.shown ?? waiting.recent.map((card) => card.request_id);
    const at = waiting.selected === null ? -1 : ids.indexOf(waiting.selected);
    const to = ids[at < 0 ? (by > 0 ? 0 : ids.length - 1) : at + by];
    if (!to) return;
    const inList = this.renderRoot.querySelector("sayso-list:focus-within, ul:focus-within") !== null;
    this.#turnTo(to);
    void this.updateComplete.then(() => this.#reveal(to, inList));
  }

  /**
   * @param {string} id
   * @param {boolean} focus
   */
  #reveal(id, focus) {
    if (this.list) return this.list.reveal(id, focus);
    const row = /** @type {HTMLElement | null} */ (this.renderRoot.querySelector(`sayso-row[data-id="${CSS.escape(id)}"]`));
    row?.scrollIntoView({ block: "nearest" });
    if (focus) row?.focus({ preventScroll: true });
  }
}

customElements.define("sayso-inbox", SaysoInbox);
