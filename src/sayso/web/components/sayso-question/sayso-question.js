// One question that is no approval, complete: who asks, what, and the form that answers it.

import { LitElement, html, nothing, repeat } from "../../vendor/lit/lit.js";
import { oddities } from "../../shown.js";
import { styles } from "../../styles.js";
import "../sayso-clarification/sayso-clarification.js";
import "../sayso-elicitation/sayso-elicitation.js";
import "../sayso-facts/sayso-facts.js";
import "../sayso-plan/sayso-plan.js";
import "../sayso-shown/sayso-shown.js";
import "../sayso-tasks/sayso-tasks.js";

/** @import {Asked, Shown} from "../../types.js" */
/** @import {Waiting} from "../../waiting.js" */

const PILL = { clarification: "Question", elicitation: "Form", plan: "Plan" };

export class SaysoQuestion extends LitElement {
  static properties = {
    question: { attribute: false },
    waiting: { attribute: false },
  };

  static styles = styles(import.meta.url);

  constructor() {
    super();
    /** @type {Asked | null} */
    this.question = null;
    /** @type {Waiting | null} */
    this.waiting = null;
  }

  /** Takes the reader to the top of the question. */
  focusTitle() {
    this.renderRoot.querySelector("h1")?.focus({ preventScroll: true });
  }

  /** @override */
  render() {
    const { question, waiting } = this;
    if (!question || !waiting) return nothing;
    const odd = oddities(textsOf(question));
    return html`<article aria-labelledby="title">
      <div class="top">
        <span class="pill">${question.kind === "elicitation" && question.mode === "url" ? "Page to open" : PILL[question.kind]}</span>
        <h1 id="title" tabindex="-1">${asks(question)}</h1>
        <sayso-facts class="meta" .request=${question} .me=${waiting.me.person.name}></sayso-facts>
        ${odd.length === 0
          ? nothing
          : html`<ul class="odd meta" aria-label="Hidden and odd characters">
              ${odd.map((words) => html`<li>${words}</li>`)}
            </ul>`}
        <sayso-tasks .waiting=${waiting} .session=${question.session_id}></sayso-tasks>
      </div>
      <div class="grow">${repeat([question], ({ request_id }) => request_id, (one) => this.#form(one))}</div>
    </article>`;
  }

  /** @param {Asked} question its form; another question gets another one, so that nothing typed is carried over */
  #form(question) {
    switch (question.kind) {
      case "clarification":
        return html`<sayso-clarification .question=${question} .waiting=${this.waiting}></sayso-clarification>`;
      case "plan":
        return html`<sayso-plan .question=${question} .waiting=${this.waiting}></sayso-plan>`;
      default:
        return html`<sayso-elicitation .question=${question} .waiting=${this.waiting}></sayso-elicitation>`;
    }
  }
}

/** @param {Asked} question who asks for what, in a sentence of ours */
function asks(question) {
  const agent = html`<sayso-shown line .runs=${question.agent}></sayso-shown>`;
  switch (question.kind) {
    case "clarification":
      return question.items.length > 1 ? html`${agent} asks ${question.items.length} questions` : html`${agent} asks a question`;
    case "plan":
      return html`${agent} asks whether to carry out its plan`;
    default: {
      const server = question.server ? html`The MCP server <sayso-shown line .runs=${question.server}></sayso-shown>` : html`An MCP server of ${agent}`;
      return question.mode === "url" ? html`${server} asks you to open a page` : html`${server} asks you for something`;
    }
  }
}

/**
 * All that others wrote in it.
 * @param {Asked} question
 * @returns {(Shown | null)[]}
 */
function textsOf(question) {
  const common = [question.agent, question.context_label];
  switch (question.kind) {
    case "clarification":
      return [...common, ...question.items.flatMap((item) => [item.question, ...item.options])];
    case "plan":
      return [...common, question.plan];
    default:
      return [
        ...common,
        question.server,
        question.message,
        ...question.fields.flatMap((field) => [field.label, field.description, ...field.choices.map(({ label }) => label)]),
        question.url?.text ?? null,
      ];
  }
}

customElements.define("sayso-question", SaysoQuestion);
