// What a person may do with a request besides deciding it: not now, why?, the broken glass.

import { LitElement, html, nothing } from "../../vendor/lit/lit.js";
import { alertOf } from "../../alert.js";
import { Refused } from "../../api.js";
import { ARMING } from "../../deciding.js";
import { asShown, sentence } from "../../shown.js";
import { styles } from "../../styles.js";
import { inFull } from "../../time.js";
import "../sayso-shown/sayso-shown.js";

/** @import {PropertyValues} from "../../vendor/lit/lit.js" */
/** @import {Card} from "../../types.js" */
/** @import {Waiting} from "../../waiting.js" */
/** @typedef {"question" | "glass" | null} Field */

const SNOOZE_SECONDS = 15 * 60;

export class SaysoAsking extends LitElement {
  static properties = {
    card: { attribute: false },
    waiting: { attribute: false },
    field: { state: true },
    busy: { state: true },
    problem: { state: true },
  };

  static styles = styles(import.meta.url);

  constructor() {
    super();
    /** @type {Card | null} */
    this.card = null;
    /** @type {Waiting | null} */
    this.waiting = null;
    /** @type {Field} */
    this.field = null;
    this.busy = false;
    /** @type {Refused | null} */
    this.problem = null;
    this.armedAt = Infinity;
  }

  /** @override @param {PropertyValues<this>} changed */
  willUpdate(changed) {
    if (!changed.has("card")) return;
    const before = changed.get("card");
    const { card } = this;
    if (before?.request_id === card?.request_id && before?.digest === card?.digest) return;
    // Another request, or another call than the one the words were typed for.
    this.field = null;
    this.problem = null;
    this.armedAt = performance.now() + ARMING;
  }

  /** @override */
  updated() {
    if (this.card?.asking.confirms && document.visibilityState === "visible") void this.waiting?.shown(this.card);
  }

  /** @param {(waiting: Waiting, card: Card) => Promise<void>} send */
  async #act(send) {
    const { card, waiting } = this;
    if (!card || !waiting || this.busy) return;
    this.busy = true;
    this.problem = null;
    try {
      await send(waiting, card);
      this.field = null;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (this.card?.request_id === card.request_id) this.problem = error;
    } finally {
      this.busy = false;
    }
  }

  /** @param {"question" | "glass"} field */
  async #open(field) {
    this.field = field;
    await this.updateComplete;
    this.renderRoot.querySelector("input")?.focus();
  }

  async #close() {
    const { field } = this;
    this.field = null;
    await this.updateComplete;
    /** @type {HTMLElement | null} */ (this.renderRoot.querySelector(`[data-field="${field}"]`))?.focus();
  }

  /** @param {SubmitEvent} event */
  #onSubmit(event) {
    event.preventDefault();
    const said = this.renderRoot.querySelector("input")?.value.trim() ?? "";
    if (said === "") return;
    if (this.field === "question") void this.#act((w, card) => w.askBack(card, said));
    if (this.field === "glass" && performance.now() >= this.armedAt) void this.#act((w, card) => w.breakGlass(card, said));
  }

  /** @param {boolean} justified */
  #review(justified) {
    const note = this.renderRoot.querySelector("input")?.value.trim() ?? "";
    void this.#act((w, card) => w.reviewGlass(card, justified, note));
  }

  /** @override */
  render() {
    const { card } = this;
    if (!card) return nothing;
    const parts = [this.#nobody(card), this.#questions(card), this.#glass(card), this.#acts(card), alertOf(this.problem)];
    return parts.every((part) => part === nothing) ? nothing : html`<section aria-label="Asking">${parts}</section>`;
  }

  /** @param {Card} card */
  #nobody({ asking }) {
    return asking.nobody === null ? nothing : html`<p class="nobody" role="status">${sentence(asking.nobody)}</p>`;
  }

  /** @param {Card} card */
  #questions({ asking }) {
    if (asking.questions.length === 0) return nothing;
    return html`<h2>Asked back</h2>
      ${asking.questions.map(
        ({ by, text, answer, answered_at }) => html`<div>
          <p><b><sayso-shown line .runs=${asShown(by)}></sayso-shown></b>: <sayso-shown .runs=${text}></sayso-shown></p>
          ${answer
            ? html`<p class="meta">The agent’s words, not checked</p>
                <blockquote><sayso-shown .runs=${answer}></sayso-shown></blockquote>`
            : html`<p class="meta">${answered_at === null ? "No answer yet" : "The agent’s side cannot answer"}</p>`}
        </div>`,
      )}`;
  }

  /** @param {Card} card */
  #glass({ asking }) {
    const { glass, may_review_glass } = asking;
    if (!glass) return nothing;
    return html`<div class="glass ${glass.reviewed_by === null ? "" : "reviewed"}">
      <p><b><sayso-shown line .runs=${asShown(glass.by)}></sayso-shown> broke the glass</b>: <sayso-shown .runs=${glass.why}></sayso-shown></p>
      ${glass.reviewed_by === null
        ? html`<p class="meta">A second person has to review it by ${inFull(glass.review_by)}.</p>`
        : html`<p class="meta"><sayso-shown line .runs=${asShown(glass.reviewed_by)}></sayso-shown> found it ${glass.justified ? "justified" : "not justified"}.</p>
            ${glass.comment ? html`<blockquote><sayso-shown .runs=${glass.comment}></sayso-shown></blockquote>` : nothing}`}
      ${may_review_glass
        ? html`<form @submit=${(/** @type {SubmitEvent} */ event) => event.preventDefault()}>
            <label for="word">Was it right to run it? <span class="meta">Your word is kept in the audit log.</span></label>
            <input id="word" type="text" autocomplete="off" maxlength="2000" ?disabled=${this.busy} />
            <button type="button" ?disabled=${this.busy} @click=${() => this.#review(true)}>It was right</button>
            <button type="button" ?disabled=${this.busy} @click=${() => this.#review(false)}>It was not right</button>
          </form>`
        : nothing}
    </div>`;
  }

  /** @param {Card} card */
  #acts(card) {
    const { asking, status, who } = card;
    if (status !== "pending" || !who.may_decide) return nothing;
    if (this.field !== null) return this.#form(this.field);
    const snoozed = asking.snoozed_until !== null;
    return html`<div class="acts">
      <button class="quiet" type="button" aria-disabled=${this.busy} @click=${() => this.#act((w, one) => w.snooze(one, snoozed ? 0 : SNOOZE_SECONDS))}>
        ${snoozed ? "Show again" : "Not now"}
      </button>
      ${asking.may_ask_back ? html`<button class="quiet" data-field="question" type="button" @click=${() => this.#open("question")}>Ask why…</button>` : nothing}
      ${asking.may_break_glass ? html`<button class="quiet" data-field="glass" type="button" @click=${() => this.#open("glass")}>Break the glass…</button>` : nothing}
    </div>`;
  }

  /** @param {"question" | "glass"} field */
  #form(field) {
    const question = field === "question";
    const label = question
      ? "What do you want to know? The agent answers in its own words."
      : "Why can it not wait? It runs at once, and a second person has to review it.";
    return html`<form @submit=${this.#onSubmit}>
      <label for="said">${label}</label>
      <input id="said" type="text" autocomplete="off" maxlength=${question ? 1000 : 2000} ?disabled=${this.busy} />
      <button class=${question ? "" : "stop"} type="submit" ?disabled=${this.busy}>${question ? "Ask" : "Run it now"}</button>
      <button class="quiet" type="button" @click=${this.#close}>Cancel</button>
    </form>`;
  }
}

customElements.define("sayso-asking", SaysoAsking);
