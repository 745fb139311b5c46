// One request, complete: what, who, why, what exactly, what led here, and the decision.

import { LitElement, html, nothing } from "../../vendor/lit/lit.js";
import { asShown, isLong, linesOf, plainText } from "../../shown.js";
import { styles } from "../../styles.js";
import { SaysoDecision } from "../sayso-decision/sayso-decision.js";
import "../sayso-asking/sayso-asking.js";
import "../sayso-dialogue/sayso-dialogue.js";
import "../sayso-facts/sayso-facts.js";
import "../sayso-set/sayso-set.js";
import "../sayso-shown/sayso-shown.js";
import "../sayso-tasks/sayso-tasks.js";
import "../sayso-what/sayso-what.js";

/** @import {Card, Shown} from "../../types.js" */
/** @import {Waiting} from "../../waiting.js" */

const SEVERITY = { low: "Low", medium: "Medium", high: "High" };
const CHANGE = "what would change it:";

export class SaysoApprovalCard extends LitElement {
  static properties = {
    card: { attribute: false },
    waiting: { attribute: false },
    explained: { state: true },
  };

  static styles = styles(import.meta.url);

  constructor() {
    super();
    /** @type {Card | null} */
    this.card = null;
    /** @type {Waiting | null} */
    this.waiting = null;
    this.explained = false;
  }

  /** The bar that decides; null while there is no card. */
  get decision() {
    const found = this.renderRoot.querySelector("sayso-decision");
    return found instanceof SaysoDecision ? found : null;
  }

  /** @override @param {import("../../vendor/lit/lit.js").PropertyValues<this>} changed */
  willUpdate(changed) {
    if (changed.has("card") && changed.get("card")?.request_id !== this.card?.request_id) this.explained = false;
  }

  /** Takes the reader to the top of the card. */
  focusTitle() {
    this.renderRoot.querySelector("h1")?.focus({ preventScroll: true });
  }

  toggleExplanation() {
    this.explained = !this.explained;
  }

  /** @override */
  render() {
    const { card, waiting } = this;
    if (!card || !waiting) return nothing;
    return html`<article class=${card.severity} aria-labelledby="title">
      <div class="body">
        <div class="top">
          <div class="what">
            <span class="pill">${SEVERITY[card.severity] ?? card.severity}<span class="unseen"> severity</span></span>
            <h1 id="title" class=${isLong(card.action) ? "long" : ""} tabindex=${isLong(card.action) ? 0 : -1}><sayso-shown line .runs=${card.action}></sayso-shown></h1>
          </div>
          <span class="code" title="Four words for the digest of exactly this call; they are the same everywhere"><span class="unseen">Code: </span>${card.code}</span>
        </div>
        <sayso-facts class="meta" .request=${card} .me=${waiting.me.person.name}></sayso-facts>
        ${this.#gone(card)} ${this.#why(card)}
        <sayso-what .card=${card}></sayso-what>
        ${this.#led(card)} ${this.#cameOfIt(card)}
        <sayso-tasks .waiting=${waiting} .session=${card.session_id}></sayso-tasks>
        <sayso-asking .card=${card} .waiting=${waiting}></sayso-asking>
        <sayso-set .card=${card} .waiting=${waiting}></sayso-set>
      </div>
      <sayso-decision .card=${card} .waiting=${waiting}></sayso-decision>
    </article>`;
  }

  /** @param {Card} card */
  #gone(card) {
    if (card.caller !== "gone" || !["pending", "approved"].includes(card.status)) return nothing;
    return html`<p class="gone">The caller is gone. An approval serves one identical retry for 10 minutes.</p>`;
  }

  /** @param {Card} card */
  #why({ why, changed, request_id, digest, session_id }) {
    const lines = linesOf(why.explain);
    const change = lines.findIndex((line) => plainText(line).startsWith(CHANGE));
    const steps = change < 0 ? lines : lines.slice(0, change);
    const rule = why.rule ? `${why.rule.effect} ${why.rule.text}` : "";
    const named = rule !== "" && plainText(why.sentence).includes(rule);
    return html`<section class="why" aria-labelledby="why">
      <h2 id="why">Why this asks</h2>
      ${changed.length === 0
        ? nothing
        : html`<p>It was approved before, and that no longer counts:</p>
            <ul class="changed">${changed.map(({ text }) => html`<li><sayso-shown .runs=${text}></sayso-shown></li>`)}</ul>`}
      <p><sayso-shown class="named" .runs=${why.sentence} .parts=${[rule]}></sayso-shown></p>
      ${why.rule && !named
        ? html`<p class="rule"><span class="meta">Rule</span> <code><sayso-shown line .runs=${asShown(rule)}></sayso-shown></code>${why.rule.place ? html` <span class="meta"><sayso-shown line .runs=${asShown(why.rule.place)}></sayso-shown></span>` : nothing}</p>`
        : nothing}
      <details ?open=${this.explained} @toggle=${this.#onToggle}>
        <summary>Explain</summary>
        ${change < 0
          ? nothing
          : html`<p class="change"><b>What would change it:</b> <sayso-shown .runs=${joined(lines.slice(change))}></sayso-shown></p>`}
        <pre>${steps.map((line) => html`<span class="step"><sayso-shown .runs=${line}></sayso-shown></span>`)}</pre>
        <dl class="meta">
          <dt>Request</dt><dd>${request_id}</dd>
          <dt>Session</dt><dd>${session_id}</dd>
          <dt>Digest</dt><dd>${digest}</dd>
        </dl>
      </details>
    </section>`;
  }

  /** @param {Card} card */
  #led({ agent_words, context }) {
    const words = agent_words ?? [];
    if (words.length === 0 && !context) return nothing;
    return html`<section aria-labelledby="led">
      <h2 id="led">What led here</h2>
      ${context ? html`<sayso-dialogue .dialogue=${context}></sayso-dialogue>` : nothing}
      ${words.length === 0
        ? nothing
        : html`<figure class="words">
            <figcaption class="meta">The agent’s words, not checked</figcaption>
            <blockquote class=${isLong(words) ? "long" : ""} tabindex=${isLong(words) ? 0 : nothing} aria-label="The agent’s words, not checked"><sayso-shown .runs=${words}></sayso-shown></blockquote>
          </figure>`}
    </section>`;
  }

  /** @param {Card} card */
  #cameOfIt({ outcome }) {
    if (!outcome?.summary) return nothing;
    const summary = asShown(outcome.summary);
    return html`<section aria-labelledby="came">
      <h2 id="came">What came of it</h2>
      <blockquote class="came ${isLong(summary) ? "long" : ""}" tabindex=${isLong(summary) ? 0 : nothing} aria-labelledby="came"><sayso-shown .runs=${summary}></sayso-shown></blockquote>
    </section>`;
  }

  /** @param {Event} event */
  #onToggle(event) {
    if (event.currentTarget instanceof HTMLDetailsElement) this.explained = event.currentTarget.open;
  }
}

/**
 * The last part of the explanation, without the words that the heading says.
 * @param {Shown[]} lines
 * @returns {Shown}
 */
function joined(lines) {
  /** @type {Shown} */
  const runs = lines.flatMap((line, index) => (index === 0 ? line : [{ text: "\n" }, ...line]));
  const [first, ...rest] = runs;
  return first && "text" in first ? [{ ...first, text: first.text.slice(CHANGE.length).trimStart() }, ...rest] : runs;
}

customElements.define("sayso-approval-card", SaysoApprovalCard);
