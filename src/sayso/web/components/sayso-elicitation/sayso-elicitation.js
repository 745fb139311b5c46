// What an MCP server wants of a person: a form to be filled in, or a page to be opened.

import { LitElement, html, nothing } from "../../vendor/lit/lit.js";
import { Answering } from "../../answering.js";
import { notByEnter } from "../../deciding.js";
import { plainText } from "../../shown.js";
import { styles } from "../../styles.js";
import { SaysoField } from "../sayso-field/sayso-field.js";
import "../sayso-shown/sayso-shown.js";

/** @import {Elicitation, Url} from "../../types.js" */
/** @import {Waiting} from "../../waiting.js" */

export class SaysoElicitation extends LitElement {
  static properties = {
    question: { attribute: false },
    waiting: { attribute: false },
    missing: { state: true },
  };

  static styles = styles(import.meta.url, "answering.css");

  constructor() {
    super();
    /** @type {Elicitation | null} */
    this.question = null;
    /** @type {Waiting | null} */
    this.waiting = null;
    /** @type {Set<string>} required fields in which nothing stands */
    this.missing = new Set();
    this.answering = new Answering(this);
  }

  /** @override */
  disconnectedCallback() {
    super.disconnectedCallback();
    this.#forget();
  }

  get #fields() {
    return [...this.renderRoot.querySelectorAll("sayso-field")].filter((one) => one instanceof SaysoField);
  }

  /** Leaves no secret in the page. */
  #forget() {
    for (const one of this.#fields) if (one.field?.secret) one.clear();
  }

  async #accept() {
    const { question } = this;
    if (!question || !this.answering.ready) return;
    if (question.mode === "url") {
      await this.answering.send({ action: "accept" });
      return;
    }
    const given = this.#fields.map((one) => /** @type {const} */ ([one.field?.name ?? "", one.value]));
    const there = new Map(given.filter(([, value]) => value !== undefined));
    this.missing = new Set(question.fields.filter(({ name, required }) => required && !there.has(name)).map(({ name }) => name));
    if (this.missing.size > 0) {
      this.#fields.find((one) => this.missing.has(one.field?.name ?? ""))?.focus();
      return;
    }
    const sent = await this.answering.send({ action: "accept", content: Object.fromEntries(there) });
    const { problem } = this.answering;
    // What was refused for its form is typed on; in every other case the secret is gone from the page.
    if (sent || (problem && ![0, 400].includes(problem.status))) this.#forget();
    if (problem?.problem.fields) await this.#toWrong(Object.keys(problem.problem.fields));
  }

  /** @param {string[]} names takes the reader to the first field that is wrong */
  async #toWrong(names) {
    await this.updateComplete;
    this.#fields.find((one) => names.includes(one.field?.name ?? ""))?.focus();
  }

  /** @param {"decline" | "cancel"} action */
  async #leave(action) {
    if (await this.answering.send({ action })) this.#forget();
  }

  /** @param {Event} event */
  #onSubmit(event) {
    event.preventDefault();
    void this.#accept();
  }

  /** @override */
  render() {
    const { question } = this;
    if (!question) return nothing;
    const open = question.status === "pending" && question.may_answer;
    const { busy } = this.answering;
    return html`<form novalidate autocomplete="off" @submit=${this.#onSubmit} @sayso-enter=${this.#onSubmit}>
      <div class="body">
        <p class="meta">The server’s words, not checked</p>
        <p class="message"><sayso-shown .runs=${question.message}></sayso-shown></p>
        ${question.url ? this.#url(question.url, open) : nothing}
        ${open ? question.fields.map((field) => html`<sayso-field .field=${field} .wrong=${this.#wrong(field.name)} ?disabled=${busy}></sayso-field>`) : nothing}
        ${open || question.mode === "url" ? nothing : html`<p class="meta">What is answered to a form is not shown again.</p>`}
      </div>
      ${this.answering.foot(html`
        ${question.mode === "form"
          ? html`<button class="go" type="submit" ?disabled=${busy}>Send</button>`
          : html`<button class="go" type="button" ?disabled=${busy} @click=${this.#accept} @keydown=${notByEnter}>I opened it</button>`}
        <button class="stop" type="button" ?disabled=${busy} @click=${() => this.#leave("decline")} @keydown=${notByEnter}>Decline</button>
        <button class="quiet" type="button" ?disabled=${busy} @click=${() => this.#leave("cancel")} @keydown=${notByEnter}>Cancel</button>
      `)}
    </form>`;
  }

  /** @param {string} name what is wrong with a field */
  #wrong(name) {
    const { problem } = this.answering;
    if (this.missing.has(name)) return "this is required";
    const fields = problem?.problem.fields ?? {};
    return Object.hasOwn(fields, name) ? fields[name] : "";
  }

  /**
   * The address, opened by a press alone.
   * @param {Url} url
   * @param {boolean} open
   */
  #url({ text, host, href }, open) {
    const safe = open && href !== null && /^https?:\/\//i.test(href);
    return html`<div class="url">
      <p>It leads to <b class="host"><sayso-shown line .runs=${host}></sayso-shown></b></p>
      <div class="address"><sayso-shown line .runs=${text} .parts=${[plainText(host)]}></sayso-shown></div>
      ${safe
        ? html`<a class="open" href=${href} target="_blank" rel="noopener noreferrer">Open it in a new tab</a>`
        : open
          ? html`<p class="hint">This is no plain address, so it is not a link here.</p>`
          : nothing}
    </div>`;
  }
}

customElements.define("sayso-elicitation", SaysoElicitation);
