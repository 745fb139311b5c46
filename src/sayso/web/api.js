// The server's API, typed: one method an act; what goes wrong is a `Refused` with the server's words.

import { FOLDERS } from "./requests.js";

/** @import {Asked, Bypass, ByRule, CallSet, Card, Freeze, Inbox, Keep, Kept, Kind, Me, Problem, Remembered, TaskList} from "./types.js" */

const KEY = "sayso-login";

/** The half of the login that no cookie carries: other ports of this host get the cookie, too. */
let half = "";

/** The header that proves the login; windows of one browser share it. */
export function proof() {
  try {
    half = localStorage.getItem(KEY) ?? "";
  } catch {
    // A page that may store nothing is logged in until it is closed.
  }
  return { "X-CSRF-Token": half };
}

/** @param {string} value */
function keep(value) {
  half = value;
  try {
    localStorage.setItem(KEY, value);
  } catch {
    // See above.
  }
}

/** An answer that is not a success, or no answer at all (status 0). */
export class Refused extends Error {
  /**
   * @param {number} status
   * @param {Problem} problem
   * @param {number | null} retryAfter seconds
   */
  constructor(status, problem, retryAfter = null) {
    super(problem.detail || problem.title || `the server answered ${status}`);
    this.status = status;
    this.problem = problem;
    this.retryAfter = retryAfter;
  }

  /** What to do next, where the server says it. */
  get hint() {
    return this.problem.hint ?? "";
  }
}

/** @type {Problem} */
const NO_ANSWER = {
  detail: "the server does not answer",
  hint: "check that it runs and that this device can reach it, then try again",
};

export class Api {
  /** @param {string} base the server's address, with a slash at its end */
  constructor(base = document.baseURI) {
    this.base = base;
    /** How far the server's clock is ahead of this device's, in milliseconds. */
    this.skew = 0;
    /** Called when the login has ended. */
    this.onLoggedOut = () => {};
  }

  /** Whether a login has to say a name, because there are several people. */
  async namesAsked() {
    const asks = /** @type {{name: boolean}} */ (await this.send("GET", "api/login", undefined, { quiet: true }));
    return asks.name;
  }

  /**
   * Chooses a passphrase with the code that an admin was shown; whose it is.
   * @param {string} code
   * @param {string} passphrase
   */
  async enrol(code, passphrase) {
    const done = /** @type {{name: string}} */ (
      await this.send("POST", "api/enrol", { code, passphrase }, { quiet: true })
    );
    return done.name;
  }

  /**
   * @param {string} passphrase
   * @param {string} [name] whose it is; the owner's, if not given
   */
  async login(passphrase, name) {
    const body = name ? { passphrase, name } : { passphrase };
    const login = /** @type {{csrf: string}} */ (await this.send("POST", "api/login", body, { quiet: true }));
    keep(login.csrf);
  }

  async logout() {
    await this.send("POST", "api/logout");
    keep("");
  }

  /** Who is logged in; null if nobody is. */
  async me() {
    try {
      return /** @type {Me} */ (await this.send("GET", "api/me", undefined, { quiet: true }));
    } catch (error) {
      if (error instanceof Refused && error.status === 401) return null;
      throw error;
    }
  }

  async inbox() {
    return /** @type {Inbox} */ (await this.send("GET", "api/inbox"));
  }

  /** What rules alone decided lately. */
  async byRule() {
    return /** @type {ByRule[]} */ (await this.send("GET", "api/inbox/by-rule"));
  }

  /**
   * One request; where its kind is not known it is looked for among all kinds.
   * @param {string} id
   * @param {Kind} [kind]
   * @returns {Promise<Card | Asked>}
   */
  async request(id, kind) {
    const [folder, ...others] = kind ? [FOLDERS[kind]] : Object.values(FOLDERS);
    try {
      return /** @type {Card | Asked} */ (await this.send("GET", `api/inbox/${folder}/${encodeURIComponent(id)}`));
    } catch (error) {
      if (!(error instanceof Refused) || error.status !== 404 || others.length === 0) throw error;
    }
    const found = await Promise.allSettled(others.map((other) => this.send("GET", `api/inbox/${other}/${encodeURIComponent(id)}`)));
    const there = found.find((one) => one.status === "fulfilled");
    if (!there) throw /** @type {PromiseRejectedResult} */ (found[0]).reason;
    return /** @type {Asked} */ (there.value);
  }

  /**
   * A person's word on a question.
   * @template {Asked} T
   * @param {T} question
   * @param {object} body
   */
  async answer({ request_id, kind }, body) {
    return /** @type {T} */ (await this.send("POST", `api/inbox/${FOLDERS[kind]}/${encodeURIComponent(request_id)}/resolve`, body));
  }

  /** @param {string} session its task list */
  async tasks(session) {
    return /** @type {TaskList} */ (await this.send("GET", `api/sessions/${encodeURIComponent(session)}/tasks`));
  }

  /** @param {string} id the calls of one turn, as one exact and ordered set */
  async callSet(id) {
    return /** @type {CallSet} */ (await this.send("GET", `api/inbox/sets/${encodeURIComponent(id)}`));
  }

  /**
   * Approves every call of a set that waits, in the order that was displayed.
   * @param {string} id
   * @param {string} digest of the whole set on the screen
   */
  async approveSet(id, digest) {
    return this.#resolveSet(id, { action: "approve", digest });
  }

  /**
   * @param {string} id
   * @param {string} note
   */
  async rejectSet(id, note) {
    return this.#resolveSet(id, note ? { action: "reject", note } : { action: "reject" });
  }

  /** @param {string} reason refuses every call of every agent from now on */
  async freeze(reason) {
    return /** @type {{freezes: Freeze[]}} */ (await this.send("POST", "api/freeze", reason ? { reason } : {}));
  }

  /** @param {string | null} agent whose freeze ends; null: that of every agent */
  async thaw(agent) {
    const query = agent === null ? "" : `?agent=${encodeURIComponent(agent)}`;
    return /** @type {{freezes: Freeze[]}} */ (await this.send("DELETE", `api/freeze${query}`));
  }

  /** What people had remembered: what is this person's, for an admin everybody's. */
  async remembered() {
    const all = await Promise.all(["bypasses", "grants", "vetoes"].map((kind) => this.send("GET", `api/${kind}`)));
    const [bypasses, grants, vetoes] = /** @type {[Bypass[], Kept[], Kept[]]} */ (all);
    return /** @type {Remembered} */ ({ bypasses, grants, vetoes });
  }

  /**
   * Takes one of them back.
   * @param {keyof Remembered} kind
   * @param {string} id
   */
  async takeBack(kind, id) {
    await this.send("DELETE", `api/${kind}/${encodeURIComponent(id)}`);
  }

  /**
   * Approves exactly what was displayed: the digest is that of the card on the screen.
   * @param {string} id
   * @param {string} digest
   * @param {Keep} [keep]
   */
  async approve(id, digest, keep = {}) {
    return this.#resolve(id, { action: "approve", digest, ...keep });
  }

  /**
   * Approves the call with other arguments than it was asked with.
   * @param {string} id
   * @param {string} digest that of the card on the screen
   * @param {object} args
   */
  async edit(id, digest, args) {
    return this.#resolve(id, { action: "approve", digest, arguments: args });
  }

  /**
   * @param {string} id
   * @param {string} note
   * @param {Keep} [keep]
   */
  async reject(id, note, keep = {}) {
    return this.#resolve(id, note ? { action: "reject", note, ...keep } : { action: "reject", ...keep });
  }

  /**
   * Hides it from this person for so many seconds.
   * @param {string} id
   * @param {number} seconds
   */
  async snooze(id, seconds) {
    return this.#beside(id, "snooze", { seconds });
  }

  /**
   * @param {string} id
   * @param {string} question
   */
  async askBack(id, question) {
    return this.#beside(id, "ask-back", { question });
  }

  /**
   * Lets exactly what was displayed run without the votes it lacks.
   * @param {string} id
   * @param {string} digest
   * @param {string} why
   */
  async breakGlass(id, digest, why) {
    return this.#beside(id, "break-glass", { digest, why });
  }

  /**
   * @param {string} id
   * @param {boolean} justified
   * @param {string} note
   */
  async reviewGlass(id, justified, note) {
    return this.#beside(id, "break-glass/review", note ? { justified, note } : { justified });
  }

  /**
   * Says that a card is before this person's eyes.
   * @param {string} id
   * @param {string} digest of what it shows
   */
  async shown(id, digest) {
    await this.send("POST", `api/inbox/${encodeURIComponent(id)}/shown`, { digest });
  }

  /**
   * @param {string} id
   * @param {string} act
   * @param {object} body
   */
  async #beside(id, act, body) {
    return /** @type {Card} */ (await this.send("POST", `api/inbox/${encodeURIComponent(id)}/${act}`, body));
  }

  /**
   * Says what became of a call whose outcome is unknown.
   * @param {string} id
   * @param {boolean} ok
   * @param {string} summary
   */
  async settle(id, ok, summary) {
    await this.send("POST", `api/calls/${encodeURIComponent(id)}/outcome`, { ok, summary });
  }

  /**
   * @param {string} id
   * @param {object} body
   */
  async #resolve(id, body) {
    const path = `api/inbox/approvals/${encodeURIComponent(id)}/resolve`;
    return /** @type {Card} */ (await this.send("POST", path, body));
  }

  /**
   * @param {string} id
   * @param {object} body
   */
  async #resolveSet(id, body) {
    return /** @type {CallSet} */ (await this.send("POST", `api/inbox/sets/${encodeURIComponent(id)}/resolve`, body));
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {object} [body]
   * @param {{quiet?: boolean, again?: boolean}} [how]
   * @returns {Promise<unknown>}
   */
  async send(method, path, body, { quiet = false, again = false } = {}) {
    /** @type {Record<string, string>} */
    const headers = { Accept: "application/json", ...proof() };
    if (body !== undefined) headers["Content-Type"] = "application/json";
    let answer;
    try {
      answer = await fetch(new URL(path, this.base), {
        method,
        headers,
        body: body === undefined ? undefined : JSON.stringify(body),
        credentials: "same-origin",
        cache: "no-store",
      });
    } catch {
      throw new Refused(0, NO_ANSWER);
    }
    this.#noteTime(answer);
    if (answer.ok) return answer.status === 204 ? null : answer.json();
    const refused = await readRefusal(answer);
    if (refused.status === 401 && !quiet && !again && proof()["X-CSRF-Token"] !== headers["X-CSRF-Token"]) {
      // Another window has logged in anew while this was on its way.
      return this.send(method, path, body, { quiet, again: true });
    }
    if (refused.status === 401 && !quiet) this.onLoggedOut();
    throw refused;
  }

  /** @param {Response} answer */
  #noteTime(answer) {
    const said = Date.parse(answer.headers.get("Date") ?? "");
    if (Number.isNaN(said)) return;
    const ahead = said - Date.now();
    this.skew = Math.abs(ahead) > 5000 ? ahead : 0;
  }
}

/**
 * @param {Response} answer
 * @returns {Promise<Refused>}
 */
async function readRefusal(answer) {
  /** @type {Problem} */
  let problem = {};
  try {
    problem = await answer.json();
  } catch {
    problem = { detail: `sayso answered with an error (${answer.status})`, hint: "Look at the server's log." };
  }
  const wait = Number.parseInt(answer.headers.get("Retry-After") ?? "", 10);
  return new Refused(answer.status, problem, Number.isNaN(wait) ? null : wait);
}
