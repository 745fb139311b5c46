// What can be remembered with an answer, folded: all that it would cover, and a button for each way.

import { LitElement, html, nothing } from "../../vendor/lit/lit.js";
import { notByEnter } from "../../deciding.js";
import { styles } from "../../styles.js";
import "../sayso-shown/sayso-shown.js";

/** @import {Card, Keep, Offer} from "../../types.js" */

/** @type {[string, number][]} */
const TIMES = [["For 15 minutes", 900], ["Until the session ends", 0]];

/** @param {Offer} offer everything that a grant or a veto would cover */
export function covered({ covers }) {
  return html`<ul>${covers.map((label) => html`<li><sayso-shown .runs=${label}></sayso-shown></li>`)}</ul>`;
}

/** Dispatches "sayso-open" when it is opened or folded, "sayso-keep" with what to remember, "sayso-never". */
export class SaysoKeep extends LitElement {
  static properties = {
    card: { attribute: false },
    approve: { attribute: false },
    busy: { attribute: false },
    open: { attribute: false },
  };

  static styles = styles(import.meta.url);

  constructor() {
    super();
    /** @type {Card | null} */
    this.card = null;
    /** Whether approving is offered. */
    this.approve = false;
    this.busy = false;
    this.open = false;
  }

  /** @override only what the server offers */
  render() {
    if (!this.card) return nothing;
    const { offer } = this.card;
    const kept = this.approve ? offer.approve : [];
    const never = offer.reject.includes("always");
    const bypass = this.approve ? offer.bypass : [];
    if (!kept.length && !never && !bypass.length) return nothing;
    return html`<details class="keep" ?open=${this.open} @toggle=${this.#onToggle}>
      <summary>Remember…</summary>
      ${offer.covers.length && (kept.length || never)
        ? html`<p>Approved or refused from now on, without a question:</p>
            ${covered(offer)}
            <div class="pair">
              ${kept.includes("session") ? this.#button("Approve for this session", { remember: "session" }, "s") : nothing}
              ${kept.includes("always") ? this.#button("Always approve", { remember: "always" }, "A") : nothing}
              ${never
                ? html`<button class="stop" type="button" ?disabled=${this.busy} @click=${() => this.#tell("sayso-never")} aria-keyshortcuts="Shift+N">Never…<kbd aria-hidden="true">N</kbd></button>`
                : nothing}
            </div>`
        : nothing}
      ${bypass.map(
        ({ scope, label }) => html`<p>Approve, and let through without a question: <sayso-shown .runs=${label}></sayso-shown></p>
          <div class="pair">
            ${TIMES.map(([words, seconds]) => this.#button(words, { bypass_secs: seconds, bypass_scope: scope }))}
          </div>`,
      )}
    </details>`;
  }

  /**
   * @param {string} words
   * @param {Keep} keep
   * @param {string} [key]
   */
  #button(words, keep, key) {
    const shortcut = key && (key === key.toLowerCase() ? key : `Shift+${key}`);
    return html`<button type="button" ?disabled=${this.busy} @click=${() => this.#tell("sayso-keep", keep)} @keydown=${notByEnter} aria-keyshortcuts=${shortcut ?? nothing}>${words}${key ? html`<kbd aria-hidden="true">${key}</kbd>` : nothing}</button>`;
  }

  /** @param {Event} event */
  #onToggle(event) {
    if (event.currentTarget instanceof HTMLDetailsElement) this.#tell("sayso-open", event.currentTarget.open);
  }

  /**
   * @param {string} what
   * @param {unknown} [detail]
   */
  #tell(what, detail) {
    this.dispatchEvent(new CustomEvent(what, { detail }));
  }
}

customElements.define("sayso-keep", SaysoKeep);
