// What people had remembered of their answers: bypasses, grants and vetoes, each with a way to take it back.

import { LitElement, html, nothing, repeat } from "../../vendor/lit/lit.js";
import { alertOf } from "../../alert.js";
import { Refused } from "../../api.js";
import { plainText } from "../../shown.js";
import { styles } from "../../styles.js";
import { ago, inFull, left, now, Ticking } from "../../time.js";
import "../sayso-shown/sayso-shown.js";

/** @import {Bypass, Kept, Remembered} from "../../types.js" */
/** @import {Waiting} from "../../waiting.js" */
/** @typedef {keyof Remembered} Kind */

const EVERY = 5000; // milliseconds: no event tells of what is remembered or runs out

/** @type {[Kind, string, string][]} */
const KINDS = [
  ["bypasses", "Bypasses", "While one lasts, what it names runs without a question."],
  ["grants", "Grants", "What they name runs without a question."],
  ["vetoes", "Vetoes", "What they name is refused without a question."],
];

export class SaysoRemembered extends LitElement {
  static properties = {
    waiting: { attribute: false },
    found: { state: true },
    busy: { state: true },
    problem: { state: true },
  };

  static styles = styles(import.meta.url);

  constructor() {
    super();
    /** @type {Waiting | null} */
    this.waiting = null;
    /** @type {Remembered | null} */
    this.found = null;
    /** @type {string | null} what is being taken back */
    this.busy = null;
    /** @type {Refused | null} */
    this.problem = null;
    new Ticking(this);
  }

  /** @override */
  connectedCallback() {
    super.connectedCallback();
    document.title = "sayso · Grants and vetoes";
    this.timer = setInterval(() => {
      if (document.visibilityState === "visible" && this.busy === null) void this.#load();
    }, EVERY);
  }

  /** @override */
  disconnectedCallback() {
    super.disconnectedCallback();
    clearInterval(this.timer);
  }

  /** @override */
  firstUpdated() {
    void this.#load();
  }

  async #load() {
    try {
      this.found = (await this.waiting?.api.remembered()) ?? null;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (this.found === null) this.problem = error; // else what is shown stays, and is asked for again
    }
  }

  /**
   * @param {Kind} kind
   * @param {string} id
   */
  async #takeBack(kind, id) {
    if (this.busy !== null) return;
    this.busy = id;
    this.problem = null;
    try {
      await this.waiting?.api.takeBack(kind, id);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (error.status !== 404) this.problem = error; // 404: somebody was faster, or it has run out
    } finally {
      await this.#load();
      this.busy = null;
      await this.updateComplete;
      /** @type {HTMLElement | null} */ (this.renderRoot.querySelector(`#${kind}`))?.focus();
    }
  }

  /** @override */
  render() {
    return html`<main>
      <h1>Grants and vetoes</h1>
      <p class="meta">What people had remembered with an answer. From the next call on, what is taken back is asked about again.</p>
      ${alertOf(this.problem)}
      ${this.found === null ? nothing : KINDS.map(([kind, title, says]) => this.#kind(kind, title, says))}
    </main>`;
  }

  /**
   * @param {Kind} kind
   * @param {string} title
   * @param {string} says
   */
  #kind(kind, title, says) {
    /** @type {(Kept | Bypass)[]} */
    const found = this.found?.[kind] ?? [];
    return html`<section aria-labelledby=${kind}>
      <h2 id=${kind} tabindex="-1">${title}</h2>
      <p class="meta">${found.length === 0 ? "None." : says}</p>
      <ul>
        ${repeat(found, (one) => one.id, (one) => this.#one(kind, one))}
      </ul>
    </section>`;
  }

  /**
   * @param {Kind} kind
   * @param {Kept | Bypass} one
   */
  #one(kind, one) {
    const mine = plainText(one.user) === this.waiting?.me.person.name;
    const comment = "comment" in one ? one.comment : null;
    return html`<li>
      <div>
        <p><sayso-shown .runs=${one.label}></sayso-shown></p>
        ${comment ? html`<blockquote><sayso-shown .runs=${comment}></sayso-shown></blockquote>` : nothing}
        <p class="meta">
          ${this.#howLong(one)}${mine ? nothing : html` · for calls of <sayso-shown line .runs=${one.user}></sayso-shown>`} ·
          given by <sayso-shown line .runs=${one.by}></sayso-shown> <span class="num" title=${inFull(one.added)}>${ago(one.added, now())}</span>
        </p>
      </div>
      <button type="button" ?disabled=${this.busy !== null} aria-label="Take back: ${plainText(one.label)}" @click=${() => this.#takeBack(kind, one.id)}>Take back</button>
    </li>`;
  }

  /** @param {Kept | Bypass} one */
  #howLong(one) {
    if ("until" in one) return one.until === null ? "until its session ends" : html`<span class="num">for ${left(one.until, now())} more</span>`;
    return one.session_id === null ? "for always" : "in one session";
  }
}

customElements.define("sayso-remembered", SaysoRemembered);
