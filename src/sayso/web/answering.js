// What the forms of all questions have in common: sending an answer once, and showing how it ended.

import { html, nothing } from "./vendor/lit/lit.js";
import { Refused } from "./api.js";
import { ARMING } from "./deciding.js";
import { answered } from "./results.js";
import { asShown, sentence } from "./shown.js";
import { now } from "./time.js";
import "./components/sayso-shown/sayso-shown.js";

/** @import {LitElement} from "./vendor/lit/lit.js" */
/** @import {Asked} from "./types.js" */
/** @import {Waiting} from "./waiting.js" */
/** @typedef {LitElement & {question: Asked | null, waiting: Waiting | null}} Host the form of one question, and of no other */

/** Sends what a person says to the question of its host, and renders the bar at the foot of the form. */
export class Answering {
  /** @param {Host} host */
  constructor(host) {
    this.host = host;
    this.busy = false;
    /** @type {Refused | null} */
    this.problem = null;
    this.armedAt = performance.now() + ARMING;
    /** Whether an answer from here is on its way, or has just been taken. */
    this.sending = false;
    this.status = "";
    this.moveFocus = false;
    host.addController(this);
  }

  hostUpdate() {
    const status = this.host.question?.status ?? "";
    // The buttons go; whoever was on one of them is taken to the result that takes their place.
    const here = this.sending || this.host.shadowRoot?.activeElement !== null;
    if (this.status === "pending" && status !== "pending") this.moveFocus = here;
    this.status = status;
  }

  hostUpdated() {
    if (!this.moveFocus) return;
    this.moveFocus = false;
    /** @type {HTMLElement | null | undefined} */ (this.host.shadowRoot?.querySelector(".result"))?.focus();
  }

  /** Whether an answer can be meant: the hand had time, and none is on its way. */
  get ready() {
    return performance.now() >= this.armedAt && !this.busy;
  }

  /**
   * Sends an answer; whether it was taken.
   * @param {object} body
   */
  async send(body) {
    const { question, waiting } = this.host;
    if (!question || !waiting || !this.ready) return false;
    this.busy = this.sending = true;
    this.problem = null;
    this.host.requestUpdate();
    try {
      waiting.put(await waiting.api.answer(question, body));
      return true;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.problem = error;
      this.sending = false;
      // Somebody was faster, or the question changed: show how it stands now.
      if (error.status === 409) await waiting.refresh(question.request_id);
      return false;
    } finally {
      this.busy = false;
      this.host.requestUpdate();
    }
  }

  /** @param {unknown} buttons what stands there while it waits for this reader */
  foot(buttons) {
    const { question } = this.host;
    if (!question) return nothing;
    return html`<div class="foot">
      ${this.#problem(question)}
      <div class="bar">${this.#inside(question, buttons)}</div>
    </div>`;
  }

  /**
   * @param {Asked} question
   * @param {unknown} buttons
   */
  #inside(question, buttons) {
    if (question.status !== "pending") return this.#ended(question);
    if (question.may_answer) return buttons;
    return html`<p class="says"><sayso-shown .runs=${asShown(sentence(question.refused ?? "you may not answer this"))}></sayso-shown></p>`;
  }

  /** @param {Asked} question */
  #ended(question) {
    const { waiting } = this.host;
    const { words, tone } = answered(question, waiting?.me.person.name ?? "", now());
    return html`<p class="result ${tone}" role="status" tabindex="-1"><sayso-shown .runs=${words}></sayso-shown></p>
      <button class="next" type="button" @click=${this.#onNext} aria-keyshortcuts="n">
        ${(waiting?.next ?? null) === null ? "Done" : "Next"}<kbd aria-hidden="true">n</kbd>
      </button>`;
  }

  /** @param {Asked} question */
  #problem(question) {
    const { problem } = this;
    if (!problem) return nothing;
    const late = problem.status === 409 && question.status !== "pending";
    const hint = problem.status === 0 ? "It is not known whether your answer arrived; sending it again is safe." : problem.hint;
    return html`<div class="alert" role="alert">
      ${late ? "Your answer came too late; this one counts." : html`<sayso-shown .runs=${asShown(sentence(problem.message))}></sayso-shown>`}
      ${hint && !late ? html`<small><sayso-shown .runs=${asShown(sentence(hint))}></sayso-shown></small>` : nothing}
    </div>`;
  }

  #onNext = () => {
    this.host.dispatchEvent(new CustomEvent("sayso-next", { bubbles: true, composed: true }));
  };
}
