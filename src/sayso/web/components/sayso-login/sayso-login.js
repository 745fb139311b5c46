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
    new Ticking(this);
  }

  /** @override */
  firstUpdated() {
    this.field?.focus();
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
        <input type="text" name="username" autocomplete="username" value="owner" hidden />
        <label for="passphrase">Passphrase</label>
        <div class="field">
          <input
            id="passphrase"
            name="passphrase"
            type=${this.shown ? "text" : "password"}
            autocomplete="current-password"
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
        <button class="go" type="submit" ?disabled=${this.busy || this.waits}>Log in</button>
      </form>
    </main>`;
  }

  #problem() {
    const { problem } = this;
    if (!problem) return nothing;
    if (problem.status === 429 && this.until) {
      return this.waits
        ? html`<div class="alert">Too many tries. Wait <span class="num">${left(this.until, now())}</span>, then try again.</div>`
        : nothing;
    }
    const words = problem.status === 401 ? "That is not the passphrase." : sentence(problem.message);
    const hint = problem.hint || (problem.status === 401 ? "Lost it? `sayso passphrase reset`, with the server stopped." : "");
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
      await this.api.login(input.value);
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

  #onShow() {
    this.shown = !this.shown;
  }
}

customElements.define("sayso-login", SaysoLogin);
