// The questions of a clarification, one after the other: its options or own words, and Send.

import { LitElement, html, nothing, repeat } from "../../vendor/lit/lit.js";
import { Answering } from "../../answering.js";
import { plainText } from "../../shown.js";
import { styles } from "../../styles.js";
import "../sayso-shown/sayso-shown.js";

/** @import {Clarification, Item} from "../../types.js" */
/** @import {Waiting} from "../../waiting.js" */

const OWN = "own";

export class SaysoClarification extends LitElement {
  static properties = {
    question: { attribute: false },
    waiting: { attribute: false },
    own: { state: true },
    missing: { state: true },
  };

  static styles = styles(import.meta.url, "answering.css");

  constructor() {
    super();
    /** @type {Clarification | null} */
    this.question = null;
    /** @type {Waiting | null} */
    this.waiting = null;
    /** Whether own words are chosen. */
    this.own = false;
    this.missing = "";
    /** The place of the question that was just answered; -1 if none was. */
    this.answeredTurn = -1;
    this.answering = new Answering(this);
  }

  /** @param {SubmitEvent} event */
  async #onSubmit(event) {
    event.preventDefault();
    const { question } = this;
    const turn = turnOf(question);
    if (!question || turn < 0) return;
    const said = this.#said(question.items[turn]);
    if (said === null) {
      this.missing = question.items[turn].options.length > 0 ? "Choose an answer first." : "Write an answer first.";
      return;
    }
    this.missing = "";
    if (!(await this.answering.send({ ...said, version: question.version }))) return;
    this.own = false;
    this.answeredTurn = turn;
  }

  /** @override */
  updated() {
    if (this.answeredTurn < 0 || this.answeredTurn === turnOf(this.question)) return;
    this.answeredTurn = -1; // on to the next question, if there is one
    /** @type {HTMLElement | null} */ (this.renderRoot.querySelector("fieldset input, textarea"))?.focus();
  }

  /**
   * What is chosen or written, word for word; null if nothing is.
   * @param {Item} item
   */
  #said(item) {
    const written = this.renderRoot.querySelector("textarea")?.value.trim() ?? "";
    if (item.options.length === 0) return written === "" ? null : { answer: written };
    const boxes = /** @type {NodeListOf<HTMLInputElement>} */ (this.renderRoot.querySelectorAll("fieldset input:checked"));
    const selected = [...boxes].map(({ value }) => (value === OWN ? written : plainText(item.options[Number(value)])));
    return selected.length === 0 || selected.includes("") ? null : { selected };
  }

  /** @override */
  render() {
    const { question } = this;
    if (!question) return nothing;
    const turn = question.status === "pending" && question.may_answer ? turnOf(question) : -1;
    return html`<form novalidate @submit=${this.#onSubmit}>
      <div class="body">
        ${question.items.map((item, index) => (index === turn ? nothing : this.#other(item, question, index)))}
        ${repeat(turn < 0 ? [] : [turn], (index) => index, (index) => this.#item(question.items[index], question, index))}
        ${this.missing ? html`<p class="wrong" role="alert">${this.missing}</p>` : nothing}
      </div>
      ${this.answering.foot(html`<button class="go" type="submit" ?disabled=${this.answering.busy}>Send</button>`)}
    </form>`;
  }

  /**
   * A question that is answered, or not yet in turn.
   * @param {Item} item
   * @param {Clarification} question
   * @param {number} index
   */
  #other(item, question, index) {
    const later = item.answer === null && question.status === "pending" && question.may_answer;
    if (later) return nothing;
    return html`<section>
      ${place(question, index)}
      <p class="label"><sayso-shown .runs=${item.question}></sayso-shown></p>
      ${item.answer
        ? html`<blockquote><sayso-shown .runs=${item.answer}></sayso-shown></blockquote>`
        : html`${item.options.length > 0 ? html`<ul class="options">${item.options.map((option) => html`<li><sayso-shown .runs=${option}></sayso-shown></li>`)}</ul>` : nothing}
            <p class="meta">No answer</p>`}
    </section>`;
  }

  /**
   * The question whose turn it is.
   * @param {Item} item
   * @param {Clarification} question
   * @param {number} index
   */
  #item(item, question, index) {
    if (item.options.length === 0) {
      return html`<div class="field">
        ${place(question, index)}
        <label class="label" for="words"><sayso-shown .runs=${item.question}></sayso-shown></label>
        <textarea id="words" maxlength="8000" autocomplete="off" ?disabled=${this.answering.busy} @keydown=${this.#onKey}></textarea>
      </div>`;
    }
    return html`<fieldset ?disabled=${this.answering.busy} @change=${this.#onChange}>
      <legend>${place(question, index)}<sayso-shown .runs=${item.question}></sayso-shown>${item.multi_select ? html`<span class="turn">Choose as many as fit.</span>` : nothing}</legend>
      ${item.options.map((option, at) => this.#option(item, String(at), html`<sayso-shown .runs=${option}></sayso-shown>`))}
      ${this.#option(item, OWN, html`In your own words`)}
      ${this.own
        ? html`<textarea maxlength="8000" autocomplete="off" aria-label="Your own words" ?disabled=${this.answering.busy} @keydown=${this.#onKey}></textarea>`
        : nothing}
    </fieldset>`;
  }

  /**
   * @param {Item} item
   * @param {string} value
   * @param {unknown} words
   */
  #option({ multi_select }, value, words) {
    return html`<label class="option"><input type=${multi_select ? "checkbox" : "radio"} name="answer" value=${value} /><span>${words}</span></label>`;
  }

  async #onChange() {
    this.missing = "";
    const own = this.renderRoot.querySelector(`input[value="${OWN}"]:checked`) !== null;
    if (own === this.own) return;
    this.own = own;
    await this.updateComplete;
    if (own) this.renderRoot.querySelector("textarea")?.focus();
  }

  /** @param {KeyboardEvent} event a line of words can be sent without leaving it */
  #onKey(event) {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    this.renderRoot.querySelector("form")?.requestSubmit();
  }
}

/** @param {Clarification | null} question the place of the question whose turn it is; -1 if there is none */
function turnOf(question) {
  return question?.items.findIndex((item) => item.answer === null) ?? -1;
}

/**
 * @param {Clarification} question
 * @param {number} index
 */
function place({ items }, index) {
  return items.length > 1 ? html`<span class="turn num">Question ${index + 1} of ${items.length}</span>` : nothing;
}

customElements.define("sayso-clarification", SaysoClarification);
