// The header: where one is, what waits, whether the line to the server stands, and the way to every page.

import { LitElement, html, nothing } from "../../vendor/lit/lit.js";
import { showCount } from "../../counting.js";
import { Following } from "../../following.js";
import { PLACES } from "../../places.js";
import { styles } from "../../styles.js";

/** @import {Place} from "../../places.js" */
/** @import {Waiting} from "../../waiting.js" */

/** Dispatches "sayso-inbox" (back to the list), "sayso-keys" and "sayso-logout". */
export class SaysoHeader extends LitElement {
  static properties = { waiting: { attribute: false }, place: { attribute: false } };

  static styles = styles(import.meta.url);

  constructor() {
    super();
    /** @type {Waiting | null} */
    this.waiting = null;
    /** @type {Place | null} */
    this.place = null;
    new Following(this);
  }

  /** @override */
  updated() {
    if (this.waiting?.loaded) showCount(this.waiting.count);
  }

  /** @override */
  disconnectedCallback() {
    super.disconnectedCallback();
    showCount(0); // logged out: how many wait is nobody's business here
  }

  /** @override */
  render() {
    const { waiting, place } = this;
    if (waiting === null || place === null) return nothing;
    const [inbox, ...others] = PLACES.filter((one) => one.for?.(waiting.me) ?? true);
    const atInbox = place === inbox;
    const link = (/** @type {Place} */ one) =>
      html`<a href="#/${one.path}" aria-current=${one === place ? "page" : nothing} @click=${this.#closeMenu}>${one.title}</a>`;
    return html`<header class=${atInbox && waiting.selected !== null ? "open" : ""}>
      <b class="brand">sayso</b>
      <nav aria-label="Pages">
        <a href="#/inbox" aria-current=${atInbox ? "page" : nothing} @click=${this.#onInbox}><span class="back" aria-hidden="true">‹</span>Inbox${this.#count()}</a>
        <span class="others">${others.map(link)}</span>
      </nav>
      ${this.#connection()}
      <button class="quiet keys" type="button" ?hidden=${!atInbox} @click=${this.#tell("sayso-keys")}>Keys<kbd aria-hidden="true">?</kbd></button>
      <button class="quiet wide" type="button" @click=${this.#tell("sayso-logout")}>Log out</button>
      <button class="quiet narrow" type="button" popovertarget="menu" aria-haspopup="true">${atInbox ? "Menu" : html`<span class="here">${place.title}</span> ▾`}</button>
      <div id="menu" popover>
        <nav aria-label="All pages">${others.map(link)}</nav>
        <button class="quiet" type="button" @click=${this.#tell("sayso-logout")}>Log out</button>
      </div>
    </header>`;
  }

  #count() {
    const count = this.waiting?.count ?? 0;
    return count > 0 ? html`<span class="count num">${count}<span class="unseen"> waiting</span></span>` : nothing;
  }

  #connection() {
    const state = this.waiting?.connection ?? "connecting";
    const words = { live: "live", connecting: "connecting", offline: "offline, trying again" }[state];
    return html`<span class="connection ${state}" role="status">${words}</span>`;
  }

  #closeMenu() {
    const menu = /** @type {HTMLElement | null} */ (this.renderRoot.querySelector("#menu"));
    menu?.hidePopover();
  }

  /** @param {MouseEvent} event the page knows whether this link leads to the list or to the inbox at all */
  #onInbox(event) {
    if (!this.dispatchEvent(new Event("sayso-inbox", { cancelable: true }))) event.preventDefault();
  }

  /** @param {string} name */
  #tell(name) {
    return () => this.dispatchEvent(new Event(name));
  }
}

customElements.define("sayso-header", SaysoHeader);
