// The calls of one turn as one exact, ordered set: looked at as a whole, and decided at once.

import { LitElement, html, nothing } from "../../vendor/lit/lit.js";
import { alertOf } from "../../alert.js";
import { Refused } from "../../api.js";
import { ARMING, mayApprove, notByEnter } from "../../deciding.js";
import { Following } from "../../following.js";
import { result } from "../../results.js";
import { styles } from "../../styles.js";
import { now } from "../../time.js";
import "../sayso-shown/sayso-shown.js";
import "../sayso-what/sayso-what.js";

/** @import {PropertyValues} from "../../vendor/lit/lit.js" */
/** @import {CallSet, Card} from "../../types.js" */
/** @import {Waiting} from "../../waiting.js" */

const AGAIN = 500; // milliseconds until a set that is not there yet is asked for again
const TRIES = 5;

export class SaysoSet extends LitElement {
  static properties = {
    card: { attribute: false },
    waiting: { attribute: false },
    set: { state: true },
    open: { state: true },
    noting: { state: true },
    busy: { state: true },
    problem: { state: true },
  };

  static styles = styles(import.meta.url);

  constructor() {
    super();
    /** @type {Card | null} */
    this.card = null;
    /** @type {Waiting | null} */
    this.waiting = null;
    /** @type {CallSet | null} as it is displayed: a decision is on exactly this */
    this.set = null;
    this.open = false;
    this.noting = false;
    this.busy = false;
    /** @type {Refused | null} */
    this.problem = null;
    this.armedAt = Infinity;
    this.asked = "";
    this.tries = 0;
    new Following(this);
  }

  /** @override @param {PropertyValues<this>} changed */
  willUpdate(changed) {
    const { card, set } = this;
    if (changed.has("card") && changed.get("card")?.batch_id !== card?.batch_id) {
      this.set = null;
      this.open = this.noting = false;
      this.problem = null;
      this.tries = 0;
    }
    if (!card?.batch_id) return;
    // As soon as one of its calls has come or has moved on, the whole is read anew.
    const here = [...(this.waiting?.cards.values() ?? [])].filter((one) => "batch_id" in one && one.batch_id === card.batch_id);
    const read = new Map(set?.cards.map((one) => [one.request_id, one.version]));
    const wanted = here.map((one) => `${one.request_id} ${one.version}`).join();
    if (here.some((one) => one.version > (read.get(one.request_id) ?? -1)) && this.asked !== wanted) {
      this.asked = wanted;
      void this.#read(card.batch_id);
    }
  }

  /** @param {string} id */
  async #read(id) {
    try {
      const found = await this.waiting?.api.callSet(id);
      if (found && this.card?.batch_id === id) this.#take(found);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.set = null;
      // Its first call is told of before the whole is made; or not all of it is this person's to see.
      if (this.tries++ < TRIES) setTimeout(() => this.#again(), AGAIN);
    }
  }

  #again() {
    this.asked = "";
    this.requestUpdate();
  }

  /** @param {CallSet} set */
  #take(set) {
    this.set = set;
    this.armedAt = performance.now() + ARMING; // what is displayed has changed
  }

  get pending() {
    return this.set?.cards.filter((card) => card.status === "pending") ?? [];
  }

  get mayApprove() {
    const me = this.waiting?.me.person.name ?? "";
    return this.pending.length > 0 && this.pending.every((card) => mayApprove(card, me));
  }

  get mayReject() {
    return this.pending.length > 0 && this.pending.every((card) => card.who.may_decide);
  }

  get armed() {
    return this.open && !this.busy && performance.now() >= this.armedAt;
  }

  #approve() {
    if (this.mayApprove && this.armed) void this.#act((waiting, set) => waiting.approveSet(set));
  }

  async #openNote() {
    if (!this.mayReject || !this.armed) return;
    this.noting = true;
    await this.updateComplete;
    this.renderRoot.querySelector("input")?.focus();
  }

  /** @param {SubmitEvent} event */
  #onSubmit(event) {
    event.preventDefault();
    const note = this.renderRoot.querySelector("input")?.value.trim() ?? "";
    if (this.mayReject && !this.busy) void this.#act((waiting, set) => waiting.rejectSet(set, note));
  }

  /** @param {(waiting: Waiting, set: CallSet) => Promise<CallSet>} send */
  async #act(send) {
    const { set, waiting } = this;
    if (!set || !waiting) return;
    this.busy = true;
    this.problem = null;
    try {
      this.#take(await send(waiting, set));
      this.noting = false;
      await this.updateComplete;
      this.renderRoot.querySelector("summary")?.focus();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (this.set?.batch_id === set.batch_id) this.problem = error;
      if (error.status !== 0) await this.#read(set.batch_id); // some of it may be decided: show how it stands
    } finally {
      this.busy = false;
    }
  }

  /** @override */
  render() {
    const { card, set } = this;
    if (!card || !set || set.cards.length < 2) return nothing;
    const number = set.cards.findIndex((one) => one.request_id === card.request_id) + 1;
    if (number === 0) return nothing; // it was asked again: another call than the one that was in the set
    return html`<details ?open=${this.open} @toggle=${this.#onToggle}>
      <summary>Call ${number} of ${set.cards.length} that the agent made at once: look at all of them</summary>
      ${this.open ? this.#all(set) : nothing}
    </details>`;
  }

  /** @param {CallSet} set */
  #all(set) {
    return html`<ol>
        ${set.cards.map((card) => html`<li>
          <h3><sayso-shown line .runs=${card.action}></sayso-shown></h3>
          <p class="meta"><span class="code"><span class="unseen">Code: </span>${card.code}</span> ${this.#state(card)}</p>
          <sayso-what .card=${card}></sayso-what>
        </li>`)}
      </ol>
      ${alertOf(this.problem)}
      ${this.noting ? this.#note() : this.#buttons(set)}`;
  }

  /** @param {Card} card */
  #state(card) {
    if (card.status === "pending") return nothing;
    const { words } = result(card, this.waiting?.me.person.name ?? "", now());
    return html`<sayso-shown line .runs=${words}></sayso-shown>`;
  }

  /** @param {CallSet} set */
  #buttons(set) {
    const many = this.pending.length;
    if (many === 0) return html`<p class="says">Nothing of it waits any more.</p>`;
    const count = many === set.cards.length ? `all ${many}` : many === 1 ? "the one that waits" : `the ${many} that wait`;
    return html`<div class="bar">
      ${this.mayApprove
        ? html`<button class="go" type="button" ?disabled=${this.busy} @click=${this.#approve} @keydown=${notByEnter}>Approve ${count}, once each</button>`
        : nothing}
      ${this.mayReject ? html`<button class="stop" type="button" ?disabled=${this.busy} @click=${this.#openNote}>Reject ${count}…</button>` : nothing}
      <span class="code" title="Four words for exactly these calls in this order"><span class="unseen">Code of the whole: </span>${set.code}</span>
      <p class="says">${this.mayApprove
        ? "They run one after the other, in this order and exactly as they stand here; what deviates stops the rest."
        : "Not all of them can be approved by you here: decide each by itself."}</p>
    </div>`;
  }

  #note() {
    return html`<form @submit=${this.#onSubmit}>
      <label for="note">Why? The agent is told.</label>
      <input id="note" type="text" autocomplete="off" maxlength="2000" ?disabled=${this.busy} />
      <button class="stop" type="submit" ?disabled=${this.busy}>Reject them</button>
      <button class="quiet" type="button" @click=${this.#closeNote}>Cancel</button>
    </form>`;
  }

  async #closeNote() {
    this.noting = false;
    await this.updateComplete;
    /** @type {HTMLElement | null} */ (this.renderRoot.querySelector(".bar .stop"))?.focus();
  }

  /** @param {Event} event */
  #onToggle(event) {
    const open = event.currentTarget instanceof HTMLDetailsElement && event.currentTarget.open;
    if (open && !this.open) this.armedAt = performance.now() + ARMING;
    this.open = open;
  }
}

customElements.define("sayso-set", SaysoSet);
