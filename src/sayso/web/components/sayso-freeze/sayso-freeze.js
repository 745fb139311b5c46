// The kill switch: what is frozen, by whom and why, with a button to end it; else a quiet one to freeze.

import { LitElement, html, nothing } from "../../vendor/lit/lit.js";
import { Refused } from "../../api.js";
import { styles } from "../../styles.js";
import "../sayso-shown/sayso-shown.js";

/** @import {Freeze} from "../../types.js" */
/** @import {Waiting} from "../../waiting.js" */

export class SaysoFreeze extends LitElement {
  static properties = {
    waiting: { attribute: false },
    freezes: { attribute: false },
    quiet: { type: Boolean },
    asked: { state: true },
    busy: { state: true },
    problem: { state: true },
  };

  static styles = styles(import.meta.url);

  constructor() {
    super();
    /** @type {Waiting | null} */
    this.waiting = null;
    /** @type {Freeze[]} */
    this.freezes = [];
    /** Whether this one only offers to freeze; the other one says what is frozen. */
    this.quiet = false;
    /** @type {Freeze | null} which one is about to be ended */
    this.asked = null;
    this.busy = false;
    this.problem = "";
  }

  /** @override */
  render() {
    if (this.quiet) return this.freezes.some((freeze) => freeze.agent_id === null) ? nothing : this.#offer();
    if (this.freezes.length === 0) return nothing;
    return html`<div class="frozen" role="alert">
      <ul>${this.freezes.map((freeze) => this.#frozen(freeze))}</ul>
      <p>Calls are refused; what waits goes on waiting, and what is approved does not run.</p>
      ${this.#problem()}
    </div>`;
  }

  /** @param {Freeze} freeze */
  #frozen(freeze) {
    const { agent, by, reason, may_thaw } = freeze;
    return html`<li>
      <span><b>${agent === null ? "Every agent" : html`The agent <sayso-shown line .runs=${agent}></sayso-shown>`} is frozen</b>
        by <sayso-shown line .runs=${by}></sayso-shown>${reason === null ? nothing : html`: <sayso-shown line .runs=${reason}></sayso-shown>`}</span>
      ${may_thaw ? this.#ending(freeze) : nothing}
    </li>`;
  }

  /** @param {Freeze} freeze asks once more, since calls run again then */
  #ending(freeze) {
    const same = this.asked?.agent_id === freeze.agent_id && this.asked?.at === freeze.at;
    if (!same) return html`<button ?disabled=${this.busy} @click=${() => (this.asked = freeze)}>End it…</button>`;
    return html`<span class="sure">
      <button ?disabled=${this.busy} @click=${() => this.#thaw(freeze)}>Let calls run again</button>
      <button class="plain" @click=${() => (this.asked = null)}>Keep it</button>
    </span>`;
  }

  #offer() {
    return html`<details>
      <summary>Freeze every agent</summary>
      <form @submit=${this.#freeze}>
        <label>Why (agents are told)<input name="reason" maxlength="500" autocomplete="off" /></label>
        <button ?disabled=${this.busy}>Freeze now</button>
      </form>
      ${this.#problem()}
    </details>`;
  }

  #problem() {
    return this.problem ? html`<p class="problem" role="alert">${this.problem}</p>` : nothing;
  }

  /** @param {SubmitEvent} event */
  #freeze(event) {
    event.preventDefault();
    const form = /** @type {HTMLFormElement} */ (event.target);
    const reason = String(new FormData(form).get("reason") ?? "");
    void this.#act(() => this.waiting?.freeze(reason));
  }

  /** @param {Freeze} freeze */
  #thaw(freeze) {
    void this.#act(() => this.waiting?.thaw(freeze.agent_id));
  }

  /** @param {() => Promise<void> | undefined} act */
  async #act(act) {
    this.busy = true;
    this.problem = "";
    try {
      await act();
      this.asked = null;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.problem = error.message;
    } finally {
      this.busy = false;
    }
  }
}

customElements.define("sayso-freeze", SaysoFreeze);
