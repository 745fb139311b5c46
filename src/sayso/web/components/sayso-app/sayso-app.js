// The page: the login, or the header and under it the place that the address names.

import { LitElement, html, nothing } from "../../vendor/lit/lit.js";
import { Api, Refused } from "../../api.js";
import { loaded, placeAt } from "../../places.js";
import { styles } from "../../styles.js";
import { followServer } from "../../time.js";
import { Waiting } from "../../waiting.js";
import { SaysoInbox } from "../sayso-inbox/sayso-inbox.js";
import "../sayso-header/sayso-header.js";
import "../sayso-login/sayso-login.js";

const AGAIN = 2000;

export class SaysoApp extends LitElement {
  static properties = {
    waiting: { attribute: false },
    state: { state: true },
    notice: { state: true },
    at: { state: true },
    ready: { state: true },
    broken: { state: true },
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
    /** The place that is shown, and the parts of the address after it. */
    this.at = placeAt("");
    /** Whether its component is there. */
    this.ready = false;
    /** Whether a page could not be fetched. */
    this.broken = false;
    this.onRoute = () => void this.#go();
    this.api.onLoggedOut = () => this.#toLogin("You were logged out. Log in to go on.");
    followServer(() => this.api.skew);
  }

  /** @override */
  connectedCallback() {
    super.connectedCallback();
    addEventListener("popstate", this.onRoute);
    void this.#enter();
    void this.#go();
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

  /** Turns to the place of the address: at once, for the one that is left must not write the address any more. */
  async #go() {
    const at = placeAt(location.hash);
    if (at[0] !== this.at[0]) this.ready = false;
    this.at = at;
    try {
      await loaded(at[0]);
      this.broken = false;
    } catch {
      this.broken = true; // unstyled, a page could hide what it must show
    }
    if (this.at === at) this.ready = true;
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
        return this.#place();
      case "no-answer":
        return html`<main class="plain" role="alert">
          <h1>sayso does not answer</h1>
          <p>Check that the server runs (<code>sayso serve</code>) and that this device can reach it. The page goes on by itself.</p>
        </main>`;
      default:
        return nothing;
    }
  }

  #place() {
    const [place, rest] = this.at;
    if (this.waiting === null) return nothing;
    return html`<sayso-header .waiting=${this.waiting} .place=${place} @sayso-inbox=${this.#onInbox} @sayso-keys=${() => this.inbox?.showKeys()} @sayso-logout=${this.#onLogout}></sayso-header>
      ${this.broken
        ? html`<main class="plain" role="alert">
            <h1>This page could not be loaded</h1>
            <p>Reload it; if that does not help, look at the server’s log.</p>
          </main>`
        : this.ready
          ? place.show(this.waiting, rest)
          : nothing}`;
  }

  /** @param {Event} event the link to the inbox: from an open card it leads to the list */
  #onInbox(event) {
    if (!this.inbox) return; // another page is open: the link leads back
    event.preventDefault();
    this.inbox.toList();
  }
}

customElements.define("sayso-app", SaysoApp);
