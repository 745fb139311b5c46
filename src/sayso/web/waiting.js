// What waits for people, as this page knows it: filled from the server, kept fresh by its events.

import { Events } from "./events.js";
import { Refused } from "./api.js";
import { byAge, isCard, isOpen, isQuestion, kindOf, kindTold } from "./requests.js";
import { now } from "./time.js";

/** @import {Api} from "./api.js" */
/** @import {Asked, ByRule, CallSet, Card, Connection, Freeze, Keep, Kind, Me, Shown} from "./types.js" */
/** @import {Told} from "./events.js" */

const BY_RULE_EVERY = 5000; // milliseconds: no event tells of what rules alone decide
const TOGETHER = 30; // milliseconds in which changes are fetched together
const MANY = 20; // from so many changes on the whole inbox is fetched instead
const AGAIN = 2000; // milliseconds until what could not be fetched is asked for again
const RESTING = 10_000; // milliseconds that a row decided elsewhere stays in the list

/** Dispatches "change" whenever something that is shown has changed, and "told" with each event of the server. */
export class Waiting extends EventTarget {
  /**
   * @param {Api} api
   * @param {Me} me
   */
  constructor(api, me) {
    super();
    this.api = api;
    this.me = me;
    /** @type {Map<string, Card | Asked>} */
    this.cards = new Map();
    /** @type {string[]} the rows of the list: what waits longest first, what is new at the end */
    this.order = [];
    /** @type {Card[]} */
    this.recent = [];
    /** @type {Shown[]} what is wrong with settings files */
    this.problems = [];
    /** @type {Freeze[]} the brakes that are on */
    this.freezes = [];
    /** @type {ByRule[]} */
    this.byRule = [];
    /** @type {string | null} */
    this.selected = null;
    /** @type {Set<string>} rows that came while the page was open and were not looked at */
    this.fresh = new Set();
    /** @type {Connection} */
    this.connection = "connecting";
    this.loaded = false;
    /** Whether the inbox was asked for and could not be read. */
    this.failed = false;
    /** How often the whole inbox was asked for. */
    this.loads = 0;
    /** @type {Set<string>} the displayed cards that the server was told of */
    this.told = new Set();
    /** @type {Map<string, Kind | undefined>} what has changed, with its kind where that is known */
    this.dirty = new Map();
    /** @type {Map<string, number>} when a row was decided, by this page's own clock */
    this.settledAt = new Map();
    this.mayTidy = () => true;
    /** Whether the list shows a request: what it leaves out is not turned to by itself either. */
    this.wanted = (/** @type {Card | Asked} */ _card) => true;
    this.events = new Events(api.base, {
      onEvent: (told) => this.#onEvent(told),
      onState: (state) => this.#onState(state),
      onLoggedOut: () => api.onLoggedOut(),
    });
  }

  start() {
    this.events.start();
    this.timer = setInterval(() => this.#tidyRested(), 1000);
    this.byRuleTimer = setInterval(() => {
      if (this.connection === "live" && document.visibilityState === "visible") void this.loadByRule();
    }, BY_RULE_EVERY);
  }

  stop() {
    this.events.stop();
    clearInterval(this.timer);
    clearInterval(this.byRuleTimer);
  }

  /** The cards of the list, in its order. */
  get rows() {
    return this.order.map((id) => /** @type {Card | Asked} */ (this.cards.get(id)));
  }

  /** What this person put off, in the order in which it comes back. */
  get snoozed() {
    const approvals = [...this.cards.values()].flatMap((one) => (isQuestion(one) ? [] : [one]));
    const until = (/** @type {Card} */ card) => card.asking.snoozed_until ?? "";
    return approvals
      .filter((card) => card.status === "pending" && until(card) !== "" && !this.order.includes(card.request_id))
      .sort((a, b) => (until(a) < until(b) ? -1 : 1));
  }

  get count() {
    return this.rows.filter(isOpen).length;
  }

  get current() {
    return this.selected === null ? null : (this.cards.get(this.selected) ?? null);
  }

  /**
   * Turns to a card; what was decided leaves the list, but for the card itself.
   * @param {string | null} id
   */
  async select(id) {
    this.selected = id;
    if (id !== null) this.fresh.delete(id);
    this.#drop((card) => !isOpen(card) && card.request_id !== id);
    this.#changed();
    if (id !== null && this.loaded && !this.cards.has(id)) await this.refresh(id);
  }

  /** The card after the current one that still waits, from the top again at the end; null if none does. */
  get next() {
    const at = this.selected === null ? -1 : this.order.indexOf(this.selected);
    const others = [...this.rows.slice(at + 1), ...this.rows.slice(0, Math.max(at, 0))];
    return others.find((card) => isOpen(card) && this.wanted(card) && card.request_id !== this.selected)?.request_id ?? null;
  }

  /**
   * Approves exactly what this card shows.
   * @param {Card} card
   * @param {Keep} [keep]
   */
  async approve(card, keep) {
    this.put(await this.api.approve(card.request_id, card.digest, keep));
  }

  /**
   * @param {Card} card
   * @param {object} args what is to run instead of what this card shows
   */
  async edit(card, args) {
    this.put(await this.api.edit(card.request_id, card.digest, args));
  }

  /**
   * @param {Card} card
   * @param {string} note
   * @param {Keep} [keep]
   */
  async reject(card, note, keep) {
    this.put(await this.api.reject(card.request_id, note, keep));
  }

  /**
   * @param {Card} card
   * @param {number} seconds
   */
  async snooze(card, seconds) {
    this.put(await this.api.snooze(card.request_id, seconds));
  }

  /**
   * @param {Card} card
   * @param {string} question
   */
  async askBack(card, question) {
    this.put(await this.api.askBack(card.request_id, question));
  }

  /**
   * @param {Card} card lets exactly what this card shows run
   * @param {string} why
   */
  async breakGlass(card, why) {
    this.put(await this.api.breakGlass(card.request_id, card.digest, why));
  }

  /**
   * @param {Card} card
   * @param {boolean} justified
   * @param {string} note
   */
  async reviewGlass(card, justified, note) {
    this.put(await this.api.reviewGlass(card.request_id, justified, note));
  }

  /**
   * Approves the calls of a set that wait, as they are shown.
   * @param {CallSet} set
   */
  async approveSet(set) {
    return this.#putSet(await this.api.approveSet(set.batch_id, set.digest));
  }

  /**
   * @param {CallSet} set
   * @param {string} note
   */
  async rejectSet(set, note) {
    return this.#putSet(await this.api.rejectSet(set.batch_id, note));
  }

  /** @param {CallSet} set */
  #putSet(set) {
    for (const card of set.cards) this.put(card, { quiet: true });
    this.#changed();
    return set;
  }

  /** @param {string} reason */
  async freeze(reason) {
    this.freezes = (await this.api.freeze(reason)).freezes;
    this.#changed();
  }

  /** @param {string | null} agent */
  async thaw(agent) {
    this.freezes = (await this.api.thaw(agent)).freezes;
    this.#changed();
  }

  /** @param {Card} card tells the server once that this card was displayed */
  async shown(card) {
    const key = `${card.request_id} ${card.digest}`;
    if (this.told.has(key)) return;
    this.told.add(key);
    try {
      await this.api.shown(card.request_id, card.digest);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.told.delete(key);
    }
  }

  /**
   * @param {Card} card
   * @param {boolean} ok
   * @param {string} summary
   */
  async settle(card, ok, summary) {
    await this.api.settle(card.request_id, ok, summary);
    await this.refresh(card.request_id);
  }

  /** Fetches everything; what is no longer in the inbox is asked for by its id. */
  async load() {
    const turn = ++this.loads;
    const inbox = await this.api.inbox();
    // What was asked later says how things stand now: what may be approved changes without a version.
    if (turn !== this.loads) return;
    const waits = [...inbox.approvals, ...inbox.clarifications, ...inbox.elicitations, ...inbox.plans].sort(byAge);
    const there = new Set(waits.map((card) => card.request_id));
    const gone = this.rows.filter((card) => isOpen(card) && !there.has(card.request_id));
    for (const card of [...waits, ...inbox.snoozed]) this.put(card, { quiet: true });
    this.recent = inbox.recent.slice(0, 5);
    this.problems = inbox.problems;
    this.freezes = inbox.freezes;
    for (const card of this.recent) this.put(card, { quiet: true });
    this.loaded = true;
    const beside = [...inbox.snoozed, ...this.recent].map((card) => card.request_id);
    const kept = new Set([...this.order, ...beside, this.selected]);
    for (const id of this.cards.keys()) if (!kept.has(id)) this.cards.delete(id);
    this.#changed();
    const asked = gone.map((card) => card.request_id);
    if (this.selected !== null && !this.cards.has(this.selected)) asked.push(this.selected);
    await Promise.all(asked.map((id) => this.refresh(id)));
  }

  /** Fetches what rules decided; no event tells of that, so it is asked for now and then. */
  async loadByRule() {
    try {
      this.byRule = await this.api.byRule();
      this.#changed();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
    }
  }

  /** @param {string} id fetches one request anew */
  async refresh(id) {
    const known = this.cards.get(id);
    try {
      this.put(await this.api.request(id, known && kindOf(known)));
    } catch (error) {
      if (!(error instanceof Refused) || ![403, 404].includes(error.status)) return;
      this.cards.delete(id);
      this.order = this.order.filter((other) => other !== id);
      if (this.selected === id) this.selected = null;
      this.#changed();
    }
  }

  /**
   * Takes a request as the server knows it, unless it is older than the one that is here.
   * @param {Card | Asked} card
   * @param {{quiet?: boolean}} [how] quiet: the caller tells of the change
   */
  put(card, { quiet = false } = {}) {
    const id = card.request_id;
    const before = this.cards.get(id);
    if (before && before.version > card.version) return;
    this.cards.set(id, card);
    if (isOpen(card)) {
      this.settledAt.delete(id);
      if (!this.order.includes(id)) {
        this.order.push(id);
        if (this.loaded && this.selected !== id) this.fresh.add(id);
      }
    } else if (before && isOpen(before)) {
      this.fresh.delete(id);
      this.settledAt.set(id, performance.now());
    }
    if (!isQuestion(card) && !isOpen(card) && card.resolution && (this.loaded || before)) this.#remember(card);
    if (!quiet) this.#changed();
  }

  /** @param {Card} card keeps the last five that were decided */
  #remember(card) {
    const decided = (/** @type {Card} */ one) => one.resolution?.at ?? "";
    this.recent = [card, ...this.recent.filter((one) => one.request_id !== card.request_id)]
      .sort((a, b) => (decided(a) > decided(b) ? -1 : 1))
      .slice(0, 5);
  }

  /** @param {Told} told an event of the server */
  #onEvent(told) {
    const { kind, data } = told;
    this.dispatchEvent(new CustomEvent("told", { detail: told }));
    if (kind === "reload" || kind === "settings_changed") {
      void this.#loadSurely();
      return;
    }
    const id = data["request_id"];
    if (typeof id !== "string" || id === "") return;
    if (isCard(data["card"])) {
      this.put(/** @type {Card} */ (data["card"]));
      return;
    }
    const known = this.cards.get(id);
    if (known && typeof data["version"] === "number" && data["version"] <= known.version) return;
    if (this.dirty.size === 0) setTimeout(() => this.#fetchDirty(), TOGETHER);
    this.dirty.set(id, kindTold(kind) ?? (known && kindOf(known)));
  }

  #fetchDirty() {
    const changed = [...this.dirty];
    this.dirty.clear();
    if (changed.length > MANY) void this.#loadSurely();
    else void this.#refreshAll(changed);
  }

  /** @param {[string, Kind | undefined][]} changed takes them together, so that what was asked first comes first */
  async #refreshAll(changed) {
    const answers = await Promise.allSettled(changed.map(([id, kind]) => this.api.request(id, kind)));
    answers
      .flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : []))
      .sort(byAge)
      .forEach((card) => this.put(card));
  }

  /** @param {Connection} state */
  #onState(state) {
    const before = this.connection;
    this.connection = state;
    if (before !== state) this.#changed();
    if (state !== "live") return;
    void this.#loadSurely();
    void this.loadByRule();
  }

  /** Loads, and tries again for as long as the line stands. */
  async #loadSurely() {
    try {
      await this.load();
      this.failed = false;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.failed = true;
      if (this.connection === "live" && error.status !== 401) setTimeout(() => void this.#loadSurely(), AGAIN);
    }
    this.#changed();
  }

  #tidyRested() {
    const back = this.snoozed.filter(({ asking }) => Date.parse(asking.snoozed_until ?? "") <= now());
    for (const { request_id } of back) void this.refresh(request_id);
    const until = performance.now() - RESTING;
    const rested = (/** @type {Card | Asked} */ card) => (this.settledAt.get(card.request_id) ?? Infinity) < until;
    if (!this.mayTidy()) return;
    if (this.#drop((card) => card.request_id !== this.selected && rested(card))) this.#changed();
  }

  /** @param {(card: Card | Asked) => boolean} leaves */
  #drop(leaves) {
    const before = this.order.length;
    this.order = this.order.filter((id) => !leaves(/** @type {Card | Asked} */ (this.cards.get(id))));
    return this.order.length !== before;
  }

  #changed() {
    this.dispatchEvent(new Event("change"));
  }
}
