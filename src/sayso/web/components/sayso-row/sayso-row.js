// One line of the list: what waits, of whom, since when or until when.

import { LitElement, html, nothing } from "../../vendor/lit/lit.js";
import { answered, result } from "../../results.js";
import { styles } from "../../styles.js";
import { isOpen, isQuestion, titleOf } from "../../requests.js";
import { left, waited } from "../../time.js";
import "../sayso-shown/sayso-shown.js";

/** @import {Asked, Card} from "../../types.js" */

const SIDE = { clarification: "question", elicitation: "form", plan: "plan" };

export class SaysoRow extends LitElement {
  static properties = {
    card: { attribute: false },
    me: { attribute: false },
    now: { attribute: false },
    current: { type: Boolean, reflect: true },
    fresh: { type: Boolean },
  };

  static styles = styles(import.meta.url);

  /** @type {ShadowRootInit} */
  static shadowRootOptions = { ...LitElement.shadowRootOptions, delegatesFocus: true };

  constructor() {
    super();
    /** @type {Card | Asked | null} */
    this.card = null;
    this.me = "";
    /** The moment that relative times count from; it changes only when the words would. */
    this.now = 0;
    this.current = false;
    this.fresh = false;
  }

  /** @override */
  render() {
    const { card } = this;
    if (!card) return nothing;
    if (isQuestion(card)) return this.#question(card);
    if (card.status === "pending" && card.asking.snoozed_until !== null) return this.#snoozed(card, card.asking.snoozed_until);
    return isOpen(card) ? this.#open(card) : this.#settled(card);
  }

  /** @param {Asked} asked */
  #question(asked) {
    const { words, tone } = answered(asked, this.me, this.now);
    const open = isOpen(asked);
    return html`<a href="#/inbox/${asked.request_id}" class=${open ? "question" : `settled ${tone}`} aria-current=${this.current ? "true" : nothing}>
      <strong><sayso-shown line .runs=${titleOf(asked)}></sayso-shown></strong>
      <span class="side num">${open ? this.#when(asked) : nothing}</span>
      ${open
        ? html`<small>${this.#where(asked)}</small>
            <span class="side">${this.fresh ? html`<b>new</b> · ` : nothing}${asked.kind === "elicitation" && asked.mode === "url" ? "page" : SIDE[asked.kind]}</span>`
        : html`<small class="words"><sayso-shown line .runs=${words}></sayso-shown></small>`}
    </a>`;
  }

  /** @param {Card} card */
  #open(card) {
    const unknown = card.status === "unknown";
    return html`<a href="#/inbox/${card.request_id}" class=${card.severity} aria-current=${this.current ? "true" : nothing}>
      <strong><sayso-shown line .runs=${card.action}></sayso-shown></strong>
      <span class="side num">${this.#when(card)}</span>
      <small>${this.#where(card)}</small>
      <span class="side">${this.fresh ? html`<b>new</b> · ` : nothing}${unknown ? "unknown" : card.severity}</span>
    </a>`;
  }

  /**
   * @param {Card} card
   * @param {string} until when it comes back
   */
  #snoozed(card, until) {
    return html`<a href="#/inbox/${card.request_id}" class="settled" aria-current=${this.current ? "true" : nothing}>
      <strong><sayso-shown line .runs=${card.action}></sayso-shown></strong>
      <span class="side"></span>
      <small class="words num">put off, back in ${left(until, this.now)}</small>
    </a>`;
  }

  /** @param {Card} card */
  #settled(card) {
    const { words, tone } = result(card, this.me, this.now);
    return html`<a href="#/inbox/${card.request_id}" class="settled ${tone}" aria-current=${this.current ? "true" : nothing}>
      <strong><sayso-shown line .runs=${card.action}></sayso-shown></strong>
      <span class="side"></span>
      <small class="words"><sayso-shown line .runs=${words}></sayso-shown></small>
    </a>`;
  }

  /** @param {Card | Asked} card */
  #when(card) {
    if (card.status === "pending" && card.expires_at) return left(card.expires_at, this.now);
    return waited(card.created_at, this.now);
  }

  /** @param {Card | Asked} card */
  #where(card) {
    const place = card.context_label ?? ("workspace" in card ? card.workspace : null) ?? ("server" in card ? card.server : null);
    return html`<sayso-shown line .runs=${card.agent}></sayso-shown>${place ? html` · <sayso-shown line .runs=${place}></sayso-shown>` : nothing}`;
  }
}

customElements.define("sayso-row", SaysoRow);
