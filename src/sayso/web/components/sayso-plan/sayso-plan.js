// A plan as plain text, the three answers to it, and a field for what should be different.

import { LitElement, html, nothing } from "../../vendor/lit/lit.js";
import { Answering } from "../../answering.js";
import { notByEnter } from "../../deciding.js";
import { asShown } from "../../shown.js";
import { styles } from "../../styles.js";
import "../sayso-shown/sayso-shown.js";

/** @import {PlanAnswer, PlanReview} from "../../types.js" */
/** @import {Waiting} from "../../waiting.js" */

const FEEDBACK = "keep-planning";

export class SaysoPlan extends LitElement {
  static properties = {
    question: { attribute: false },
    waiting: { attribute: false },
  };

  static styles = styles(import.meta.url, "answering.css");

  constructor() {
    super();
    /** @type {PlanReview | null} */
    this.question = null;
    /** @type {Waiting | null} */
    this.waiting = null;
    this.answering = new Answering(this);
  }

  /** @param {PlanAnswer} answer */
  #answer(answer) {
    const feedback = this.renderRoot.querySelector("textarea")?.value.trim() ?? "";
    void this.answering.send(feedback ? { answer, feedback } : { answer });
  }

  /** @override */
  render() {
    const { question } = this;
    if (!question) return nothing;
    const open = question.status === "pending" && question.may_answer;
    const said = question.answer === FEEDBACK ? (question.resolution?.comment ?? null) : null;
    return html`<form @submit=${(/** @type {SubmitEvent} */ event) => event.preventDefault()}>
      <div class="body">
        <section aria-labelledby="plan">
          <h2 id="plan">The plan, in the agent’s words</h2>
          <div class="plan"><sayso-shown .runs=${question.plan}></sayso-shown></div>
        </section>
        ${open
          ? html`<div class="field">
              <label class="label" for="feedback">What should be different?</label>
              <span class="hint" id="goes">Goes to the agent with “${question.answers.find(({ answer }) => answer === FEEDBACK)?.label}”.</span>
              <textarea id="feedback" maxlength="8000" autocomplete="off" aria-describedby="goes" ?disabled=${this.answering.busy}></textarea>
            </div>`
          : nothing}
        ${question.answer && question.answer !== FEEDBACK
          ? html`<p class="meta">The agent’s side keeps it in the session’s workspace, below <code>.sayso/plans</code>.</p>`
          : nothing}
        ${said
          ? html`<section aria-labelledby="said">
              <h2 id="said">What should be different</h2>
              <blockquote><sayso-shown .runs=${asShown(said)}></sayso-shown></blockquote>
            </section>`
          : nothing}
      </div>
      ${this.answering.foot(
        question.answers.map(
          ({ answer, label }) => html`<button
            class=${answer === "carry-out" ? "go" : ""}
            type="button"
            ?disabled=${this.answering.busy}
            @click=${() => this.#answer(answer)}
            @keydown=${notByEnter}
          >
            ${label}
          </button>`,
        ),
      )}
    </form>`;
  }
}

customElements.define("sayso-plan", SaysoPlan);
