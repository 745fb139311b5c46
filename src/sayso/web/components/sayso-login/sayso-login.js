// The passphrase: deciding needs a person.

import { LitElement, html, nothing } from "../../vendor/lit/lit.js";
import { Refused } from "../../api.js";
import { asShown, sentence } from "../../shown.js";
import { styles } from "../../styles.js";
import { left, now, Ticking } from "../../time.js";
import "../sayso-shown/sayso-shown.js";

/** @import {Api} from "../../api.js" */

/** Dispatches "sayso-login" when the server has taken the passphrase. */
export class SaysoLogin extends LitElement {
  static properties = {
    api: { attribute: false },
    notice: { attribute: false },
    busy: { state: true },
    problem: { state: true },
    shown: { state: true },
    until: { state: true },
    several: { state: true },
    enrolling: { state: true },
  };

  static styles = styles(import.meta.url);

  constructor() {
    super();
    /** @type {Api | null} */
    this.api = null;
    this.notice = "";
    this.busy = false;
    /** @type {Refused | null} */
    this.problem = null;
    this.shown = false;
    /** @type {string | null} until when the server takes no more tries */
    this.until = null;
    /** Whether there are several people, so that a login says whose it is. */
    this.several = false;
    /** Whether a passphrase is chosen with a code. */
    this.enrolling = false;
    new Ticking(this);
  }

  /** @override */
  firstUpdated() {
    this.field?.focus();
    void this.#ask();
  }

  async #ask() {
    try {
      this.several = (await this.api?.namesAsked()) ?? false;
    } catch (error) {
      if (!(error instanceof Refused)) throw error; // then the owner's login is offered, as ever
    }
  }

  /** @param {string} id */
  #typed(id) {
    return /** @type {HTMLInputElement | null} */ (this.renderRoot.querySelector(id))?.value.trim() ?? "";
  }

  get field() {
    return /** @type {HTMLInputElement | null} */ (this.renderRoot.querySelector("#passphrase"));
  }

  get waits() {
    return this.until !== null && Date.parse(this.until) > now();
  }

  /** @override */
  render() {
    return html`<main>
      <form @submit=${this.#onSubmit} novalidate>
        <h1>sayso</h1>
        <p class="meta">Nothing an agent does happens without your say-so.</p>
        ${this.notice ? html`<p role="status">${this.notice}</p>` : nothing}
        ${this.#who()}
        <label for="passphrase">${this.enrolling ? "New passphrase" : "Passphrase"}</label>
        <div class="field">
          <input
            id="passphrase"
            name="passphrase"
            type=${this.shown ? "text" : "password"}
            autocomplete=${this.enrolling ? "new-password" : "current-password"}
            autocapitalize="none"
            spellcheck="false"
            aria-describedby="problem"
            aria-invalid=${this.problem?.status === 401 ? "true" : nothing}
          />
          <button class="quiet" type="button" aria-pressed=${this.shown ? "true" : "false"} @click=${this.#onShow}>
            ${this.shown ? "Hide" : "Show"}
          </button>
        </div>
        <div id="problem" role="alert">${this.#problem()}</div>
        <button class="go" type="submit" ?disabled=${this.busy || this.waits}>${this.enrolling ? "Choose and log in" : "Log in"}</button>
        ${this.several
          ? html`<button class="quiet" type="button" @click=${this.#onSwitch}>${this.enrolling ? "Log in with a passphrase" : "I have a code"}</button>`
          : nothing}
      </form>
    </main>`;
  }

  #who() {
    if (this.enrolling) {
      return html`<label for="code">Code</label>
        <input id="code" name="code" type="text" autocomplete="one-time-code" autocapitalize="none" spellcheck="false" />`;
    }
    if (!this.several) return html`<input type="text" name="username" autocomplete="username" value="owner" hidden />`;
    return html`<label for="name">Name</label>
      <input id="name" name="username" type="text" autocomplete="username" autocapitalize="none" spellcheck="false" />`;
  }

  #problem() {
    const { problem } = this;
    if (!problem) return nothing;
    if (problem.status === 429 && this.until) {
      return this.waits
        ? html`<div class="alert">Too many tries. Wait <span class="num">${left(this.until, now())}</span>, then try again.</div>`
        : nothing;
    }
    const wrong = problem.status === 401 && !this.enrolling;
    const words = wrong ? "That is not the passphrase." : sentence(problem.message);
    const hint = problem.hint || (wrong ? "Lost it? `sayso passphrase reset`, with the server stopped." : "");
    return html`<div class="alert">
      <sayso-shown .runs=${asShown(words)}></sayso-shown>
      ${hint ? html`<small><sayso-shown .runs=${asShown(sentence(hint))}></sayso-shown></small>` : nothing}
    </div>`;
  }

  /** @param {SubmitEvent} event */
  async #onSubmit(event) {
    event.preventDefault();
    const input = this.field;
    if (!this.api || !input || this.busy || this.waits) return;
    if (input.value === "") {
      input.focus();
      return;
    }
    this.busy = true;
    this.problem = null;
    try {
      const name = this.enrolling ? await this.api.enrol(this.#typed("#code"), input.value) : this.#typed("#name");
      await this.api.login(input.value, name);
      this.dispatchEvent(new CustomEvent("sayso-login", { bubbles: true, composed: true }));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.problem = error;
      this.until = error.retryAfter === null ? null : new Date(now() + error.retryAfter * 1000).toISOString();
      input.select();
      input.focus();
    } finally {
      this.busy = false;
    }
  }

  #onSwitch() {
    this.enrolling = !this.enrolling;
    this.problem = null;
  }

  #onShow() {
    this.shown = !this.shown;
  }
}

customElements.define("sayso-login", SaysoLogin);
