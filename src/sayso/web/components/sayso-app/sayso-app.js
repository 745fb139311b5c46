// The page: the header, and under it the login or the inbox.

import { LitElement, html, nothing } from "../../vendor/lit/lit.js";
import { Api, Refused } from "../../api.js";
import { Following } from "../../following.js";
import { styles } from "../../styles.js";
import { followServer } from "../../time.js";
import { Waiting } from "../../waiting.js";
import { SaysoInbox } from "../sayso-inbox/sayso-inbox.js";
import "../sayso-login/sayso-login.js";
import "../sayso-remembered/sayso-remembered.js";

const AGAIN = 2000;
const REMEMBERED = "#/grants";

export class SaysoApp extends LitElement {
  static properties = {
    waiting: { attribute: false },
    state: { state: true },
    notice: { state: true },
    page: { state: true },
  };

  static styles = styles(import.meta.url);

  constructor() {
    super();
    this.api = new Api();
    /** @type {Waiting | null} */
    this.waiting = null;
    /** @type {"starting" | "login" | "inbox" | "no-answer"} */
    this.state = "starting";
    this.notice = "";
    this.page = location.hash;
    this.onRoute = () => {
      this.page = location.hash;
    };
    this.api.onLoggedOut = () => this.#toLogin("You were logged out. Log in to go on.");
    followServer(() => this.api.skew);
    new Following(this);
  }

  /** @override */
  connectedCallback() {
    super.connectedCallback();
    addEventListener("popstate", this.onRoute);
    void this.#enter();
  }

  /** @override */
  disconnectedCallback() {
    super.disconnectedCallback();
    removeEventListener("popstate", this.onRoute);
    this.waiting?.stop();
  }

  get inbox() {
    const found = this.renderRoot.querySelector("sayso-inbox");
    return found instanceof SaysoInbox ? found : null;
  }

  async #enter() {
    try {
      const me = await this.api.me();
      if (me === null) {
        this.#toLogin("");
        return;
      }
      this.waiting?.stop();
      this.waiting = new Waiting(this.api, me);
      this.waiting.start();
      this.state = "inbox";
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.state = "no-answer";
      setTimeout(() => void this.#enter(), AGAIN);
    }
  }

  /** @param {string} notice */
  #toLogin(notice) {
    this.waiting?.stop();
    this.waiting = null;
    this.notice = notice;
    this.state = "login";
    document.title = "sayso · Log in";
  }

  async #onLogout() {
    try {
      await this.api.logout();
    } catch (error) {
      if (!(error instanceof Refused) || error.status === 0) return;
    }
    this.#toLogin("You are logged out.");
  }

  /** @override */
  render() {
    switch (this.state) {
      case "login":
        return html`<sayso-login .api=${this.api} .notice=${this.notice} @sayso-login=${this.#enter}></sayso-login>`;
      case "inbox":
        return html`${this.#header()}${this.page === REMEMBERED
          ? html`<sayso-remembered .waiting=${this.waiting}></sayso-remembered>`
          : html`<sayso-inbox .waiting=${this.waiting}></sayso-inbox>`}`;
      case "no-answer":
        return html`<main class="plain" role="alert">
          <h1>sayso does not answer</h1>
          <p>Check that the server runs (<code>sayso serve</code>) and that this device can reach it. The page goes on by itself.</p>
        </main>`;
      default:
        return nothing;
    }
  }

  #header() {
    const { waiting } = this;
    const count = waiting?.count ?? 0;
    const remembered = this.page === REMEMBERED;
    const open = waiting !== null && waiting.selected !== null && !remembered;
    return html`<header class=${open ? "open" : ""}>
      <b class="brand">sayso</b>
      <nav aria-label="Pages">
        <a href="#/inbox" aria-current=${remembered ? nothing : "page"} @click=${this.#onInbox}><span class="back" aria-hidden="true">‹</span>Inbox${count > 0
          ? html`<span class="count num">${count}<span class="unseen"> waiting</span></span>`
          : nothing}</a>
        <a class="other" href=${REMEMBERED} aria-current=${remembered ? "page" : nothing}>Grants</a>
      </nav>
      ${this.#connection()}
      <button class="quiet keys" type="button" ?hidden=${remembered} @click=${() => this.inbox?.showKeys()}>Keys<kbd aria-hidden="true">?</kbd></button>
      <button class="quiet" type="button" @click=${this.#onLogout}>Log out</button>
    </header>`;
  }

  #connection() {
    const state = this.waiting?.connection ?? "connecting";
    const words = { live: "live", connecting: "connecting", offline: "offline, trying again" }[state];
    return html`<span class="connection ${state}" role="status">${words}</span>`;
  }

  /** @param {MouseEvent} event */
  #onInbox(event) {
    if (!this.inbox) return; // another page is open: the link leads back
    event.preventDefault();
    this.inbox.toList();
  }
}

customElements.define("sayso-app", SaysoApp);
