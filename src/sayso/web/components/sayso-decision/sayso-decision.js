// The bar at the foot of a card: the buttons of a decision, and afterwards its result.

import { LitElement, html, nothing } from "../../vendor/lit/lit.js";
import { Refused } from "../../api.js";
import { ARMING, mayApprove, notByEnter } from "../../deciding.js";
import { result, whoDecides } from "../../results.js";
import { asShown, isLong, plainText, sentence } from "../../shown.js";
import { styles } from "../../styles.js";
import { now, Ticking } from "../../time.js";
import { covered } from "../sayso-keep/sayso-keep.js";
import "../sayso-shown/sayso-shown.js";

/** @import {PropertyValues} from "../../vendor/lit/lit.js" */
/** @import {Card, Keep} from "../../types.js" */
/** @import {Waiting} from "../../waiting.js" */
/** @typedef {"approve" | "reject" | "ran" | "did-not-run"} Act */

/**
 * The arguments that a card shows, as JSON to be edited.
 * @param {Card} card
 */
function argumentsOf({ what }) {
  /** @type {[string, unknown][]} */
  const found = what.arguments.map(({ name, value, kind }) => [plainText(name), kind === "text" ? plainText(value) : JSON.parse(plainText(value))]);
  return JSON.stringify(Object.fromEntries(found), null, 2);
}

/** Dispatches "sayso-next" when the person moves on. */
export class SaysoDecision extends LitElement {
  static properties = {
    card: { attribute: false },
    waiting: { attribute: false },
    noting: { state: true },
    keeping: { state: true },
    editing: { state: true },
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
    this.noting = false;
    this.never = false;
    /** Whether what can be remembered stands open. */
    this.keeping = false;
    this.editing = false;
    /** @type {Act | null} */
    this.busy = null;
    /** @type {Refused | null} */
    this.problem = null;
    this.armedAt = Infinity;
    this.moveFocus = false;
    new Ticking(this);
  }

  /** @override @param {PropertyValues<this>} changed */
  willUpdate(changed) {
    if (!changed.has("card")) return;
    const before = changed.get("card");
    const { card } = this;
    if (before?.request_id !== card?.request_id) {
      this.noting = false;
      this.editing = false;
      this.busy = null;
      this.problem = null;
    }
    const same = before && card && before.request_id === card.request_id && before.digest === card.digest;
    if (!same) this.editing = this.keeping = false; // another call than the one that was looked at
    if (!same || before.status !== card.status) this.armedAt = performance.now() + ARMING;
    if (same && before.status === "pending" && card.status !== "pending") {
      // The buttons go; whoever was on one of them is taken to the result that takes their place.
      this.moveFocus = this.shadowRoot?.activeElement !== null;
      this.noting = false;
    }
  }

  /** @override */
  updated() {
    if (!this.moveFocus) return;
    this.moveFocus = false;
    /** @type {HTMLElement | null | undefined} */ (this.renderRoot.querySelector(".result"))?.focus();
  }

  get armed() {
    return performance.now() >= this.armedAt && this.busy === null;
  }

  get offered() {
    const { card, waiting } = this;
    if (!card || !waiting || card.status !== "pending" || !card.who.may_decide) return { approve: false, reject: false };
    return { approve: mayApprove(card, waiting.me.person.name), reject: true };
  }

  /** Approves what the card shows, if that is offered and the hand had time to mean it. */
  approve() {
    if (this.offered.approve && this.armed) void this.#act("approve", (w, card) => w.approve(card));
  }

  /**
   * Approves what the card shows and has more of it remembered than this once, as the button says.
   * @param {Keep} keep
   */
  approveAndKeep(keep) {
    if (this.offered.approve && this.armed) void this.#act("approve", (w, card) => w.approve(card, keep));
  }

  /**
   * Opens all that would be covered; where that stands open already, does what the button says.
   * @param {"session" | "always"} remember
   */
  keepByKey(remember) {
    if (!this.offered.approve || !this.armed || !this.card?.offer.approve.includes(remember)) return;
    if (this.keeping) this.approveAndKeep({ remember });
    else this.#open();
  }

  neverByKey() {
    if (this.card?.offer.reject.includes("always")) void this.openNote(true);
  }

  #open() {
    this.keeping = true;
    this.armedAt = performance.now() + ARMING; // it has to be read before it can be meant
  }

  /** @param {CustomEvent<boolean>} event */
  #onKeepOpen({ detail: open }) {
    if (open && !this.keeping) this.#open();
    this.keeping = open;
  }

  /**
   * Opens the field for the reason of a rejection.
   * @param {boolean} [never] whether it is to be remembered for always
   */
  async openNote(never = false) {
    if (!this.offered.reject || !this.armed || this.noting) return;
    this.never = never;
    this.noting = true;
    await this.updateComplete;
    this.renderRoot.querySelector("input")?.focus();
  }

  /** Opens the field for other arguments. */
  async openEdit() {
    if (!this.offered.approve || !this.armed) return;
    this.editing = true;
    await this.updateComplete;
    this.renderRoot.querySelector("textarea")?.focus();
  }

  async closeEdit() {
    this.editing = false;
    await this.updateComplete;
    /** @type {HTMLElement | null} */ (this.renderRoot.querySelector(".go"))?.focus();
  }

  /** @param {SubmitEvent} event */
  #onEdited(event) {
    event.preventDefault();
    if (!this.offered.approve || this.busy !== null) return;
    const written = this.renderRoot.querySelector("textarea")?.value ?? "";
    let changed;
    try {
      changed = JSON.parse(written);
    } catch {
      changed = null;
    }
    if (typeof changed !== "object" || changed === null || Array.isArray(changed)) {
      this.problem = new Refused(400, { detail: "this is not a JSON object", hint: "write the arguments with their names, as they were" });
      return;
    }
    void this.#act("approve", (w, card) => w.edit(card, changed));
  }

  /** @param {KeyboardEvent} event */
  #onEditKey(event) {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    void this.closeEdit();
  }

  async closeNote() {
    this.noting = false;
    await this.updateComplete;
    /** @type {HTMLElement | null} */ (this.renderRoot.querySelector(".stop"))?.focus();
  }

  #sendRejection() {
    const note = this.renderRoot.querySelector("input")?.value.trim() ?? "";
    if (this.offered.reject && this.busy === null) void this.#act("reject", (w, card) => w.reject(card, note, this.never ? { remember: "always" } : {}));
  }

  /** @param {boolean} ok */
  #settle(ok) {
    if (!this.armed) return;
    const found = this.renderRoot.querySelector("input")?.value.trim() ?? "";
    const summary = found || (ok ? "it ran, as a person said" : "it did not run, as a person said");
    void this.#act(ok ? "ran" : "did-not-run", (w, card) => w.settle(card, ok, summary));
  }

  /**
   * @param {Act} act
   * @param {(waiting: Waiting, card: Card) => Promise<void>} send
   */
  async #act(act, send) {
    const { card, waiting } = this;
    if (!card || !waiting) return;
    this.busy = act;
    this.problem = null;
    try {
      await send(waiting, card);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (this.card?.request_id === card.request_id) this.problem = error;
      // Somebody was faster, or the call changed: show how it stands now.
      if (error.status !== 0) await waiting.refresh(card.request_id);
    } finally {
      this.busy = null;
    }
  }

  /** @override */
  render() {
    const { card, waiting } = this;
    if (!card || !waiting) return nothing;
    return html`${this.#problem()}
      <div class="bar">${this.#inside(card)}</div>`;
  }

  /** @param {Card} card */
  #inside(card) {
    if (card.status === "unknown") return this.#unknown();
    if (card.status !== "pending") return this.#result(card);
    if (!card.who.may_decide) {
      if (card.who.waiting) return html`<p class="says"><sayso-shown .runs=${asShown(sentence(card.who.waiting))}></sayso-shown></p>${this.#outOfReach(card)}`;
      const why = card.approve_refused ? sentence(card.approve_refused) : `Only ${whoDecides(card)} may decide this.`;
      return html`<p class="says"><sayso-shown .runs=${asShown(why)}></sayso-shown></p>`;
    }
    if (this.editing) return this.#edit(card);
    return this.noting ? this.#note(card) : this.#buttons(card);
  }

  /** @param {Card} card */
  #buttons(card) {
    const { have, need } = card.who;
    const { approve } = this.offered;
    return html`
      ${approve
        ? html`<button class="go" type="button" ?disabled=${this.busy !== null} @click=${this.approve} @keydown=${notByEnter} aria-keyshortcuts="a">
            Approve once<kbd aria-hidden="true">a</kbd>
          </button>`
        : nothing}
      ${approve && card.who.may_edit
        ? html`<button type="button" ?disabled=${this.busy !== null} @click=${this.openEdit}>Edit…</button>`
        : nothing}
      <button class="stop" type="button" ?disabled=${this.busy !== null} @click=${() => this.openNote()} aria-keyshortcuts="r">
        Reject…<kbd aria-hidden="true">r</kbd>
      </button>
      ${card.approve_refused
        ? html`<p class="says">Approving is not offered: <sayso-shown .runs=${asShown(card.approve_refused)}></sayso-shown></p>`
        : nothing}
      ${need > 1
        ? html`<p class="says num"><sayso-shown .runs=${asShown(card.who.waiting || `${have} of ${need} approved`)}></sayso-shown></p>`
        : nothing}
      ${this.#outOfReach(card)}
      <sayso-keep
        .card=${card}
        .approve=${approve}
        .busy=${this.busy !== null}
        .open=${this.keeping}
        @sayso-open=${this.#onKeepOpen}
        @sayso-keep=${(/** @type {CustomEvent<Keep>} */ event) => this.approveAndKeep(event.detail)}
        @sayso-never=${() => this.openNote(true)}
      ></sayso-keep>
    `;
  }

  /** @param {Card} card */
  #outOfReach(card) {
    const why = card.who.out_of_reach;
    return why ? html`<p class="says"><sayso-shown .runs=${asShown(`It cannot be approved: ${why}.`)}></sayso-shown></p>` : nothing;
  }

  /** @param {Card} card */
  #edit(card) {
    return html`<form class="edit" @submit=${this.#onEdited} @keydown=${this.#onEditKey}>
      <label for="arguments">What is to run instead, as JSON. It is judged again, and the agent is told.</label>
      <textarea id="arguments" spellcheck="false" autocomplete="off" ?disabled=${this.busy !== null} .value=${argumentsOf(card)}></textarea>
      <div class="pair">
        <button class="go" type="submit" ?disabled=${this.busy !== null}>Approve this, once</button>
        <button class="quiet" type="button" @click=${this.closeEdit}>Cancel</button>
      </div>
    </form>`;
  }

  /** @param {Card} card */
  #note({ offer }) {
    return html`<form @submit=${this.#onSubmit} @keydown=${this.#onNoteKey}>
      ${this.never ? html`<div class="covers says">Refused from now on, without a question:${covered(offer)}</div>` : nothing}
      <label for="note">${this.never ? "Never again. " : ""}Why? The agent is told.</label>
      <input id="note" type="text" autocomplete="off" maxlength="2000" ?disabled=${this.busy !== null} />
      <button class="stop" type="submit" ?disabled=${this.busy !== null}>Reject</button>
      <button class="quiet" type="button" @click=${this.closeNote}>Cancel</button>
    </form>`;
  }

  #unknown() {
    return html`<div class="unknown">
      <p id="ask"><strong>Whether it ran is unknown.</strong> The program that ran it went away. Look at what it would have changed, then say what you found. It is not run again by itself.</p>
      <label for="found">What did you find? <span class="meta">Kept in the audit log.</span></label>
      <input id="found" type="text" autocomplete="off" maxlength="2000" ?disabled=${this.busy !== null} />
      <div class="pair">
        <button type="button" ?disabled=${this.busy !== null} @click=${() => this.#settle(true)} @keydown=${notByEnter}>It ran</button>
        <button type="button" ?disabled=${this.busy !== null} @click=${() => this.#settle(false)} @keydown=${notByEnter}>It did not run</button>
      </div>
    </div>`;
  }

  /** @param {Card} card */
  #result(card) {
    const { words, tone } = result(card, this.waiting?.me.person.name ?? "", now());
    const next = this.waiting?.next ?? null;
    const failed = card.remembered?.problem ?? null;
    return html`
      ${failed ? html`<p class="says" role="alert"><sayso-shown .runs=${failed}></sayso-shown></p>` : nothing}
      <p class="result ${tone} ${isLong(words) ? "long" : ""}" role="status" tabindex=${isLong(words) ? 0 : -1}><sayso-shown .runs=${words}></sayso-shown></p>
      <button class="next" type="button" @click=${this.#onNext} aria-keyshortcuts="n">
        ${next === null ? "Done" : "Next"}<kbd aria-hidden="true">n</kbd>
      </button>
    `;
  }

  #problem() {
    const { problem, card } = this;
    if (!problem || !card) return nothing;
    const late = problem.status === 409 && card.status !== "pending";
    const hint = problem.status === 0 ? "It is not known whether your decision arrived; deciding again is safe." : problem.hint;
    return html`<div class="alert" role="alert">
      ${late ? "Your decision came too late; this one counts." : html`<sayso-shown .runs=${asShown(sentence(problem.message))}></sayso-shown>`}
      ${hint && !late ? html`<small><sayso-shown .runs=${asShown(sentence(hint))}></sayso-shown></small>` : nothing}
    </div>`;
  }

  /** @param {SubmitEvent} event */
  #onSubmit(event) {
    event.preventDefault();
    this.#sendRejection();
  }

  /** @param {KeyboardEvent} event */
  #onNoteKey(event) {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    void this.closeNote();
  }

  #onNext() {
    this.dispatchEvent(new CustomEvent("sayso-next", { bubbles: true, composed: true }));
  }
}

customElements.define("sayso-decision", SaysoDecision);
