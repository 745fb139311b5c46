// The stream of events: resumed where it broke off, with a growing wait between tries.

import { proof } from "./api.js";

/** @import {Connection} from "./types.js" */
/** @typedef {{kind: string, id: string, data: Record<string, unknown>}} Told */

const FIRST_WAIT = 500;
const LONGEST_WAIT = 15_000;
const SILENCE = 60_000;

/** Calls `onEvent` for each event and `onState` when the connection comes or goes. */
export class Events {
  /**
   * @param {string} base the server's address, with a slash at its end
   * @param {{onEvent: (told: Told) => void, onState: (state: Connection) => void, onLoggedOut: () => void}} calls
   */
  constructor(base, calls) {
    this.url = new URL("api/events", base);
    this.calls = calls;
    this.lastId = "";
    this.failures = 0;
    this.open = false;
    /** @type {AbortController | null} */
    this.abort = null;
    this.wake = () => {};
    this.heartbeats = false;
    this.tryNow = () => this.wake();
  }

  start() {
    if (this.open) return;
    this.open = true;
    addEventListener("online", this.tryNow);
    document.addEventListener("visibilitychange", this.tryNow);
    void this.#run();
  }

  stop() {
    this.open = false;
    removeEventListener("online", this.tryNow);
    document.removeEventListener("visibilitychange", this.tryNow);
    this.abort?.abort();
    this.wake();
  }

  async #run() {
    while (this.open) {
      try {
        await this.#listen();
      } catch {
        // Whatever broke it, the answer is the same: say so and try again.
      }
      if (!this.open) return;
      this.calls.onState("offline");
      const wait = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** this.failures) * (0.75 + Math.random() / 2);
      this.failures += 1;
      await this.#pause(wait);
    }
  }

  async #listen() {
    const abort = new AbortController();
    this.abort = abort;
    /** @type {Record<string, string>} */
    const headers = { Accept: "text/event-stream", ...proof() };
    if (this.lastId) headers["Last-Event-ID"] = this.lastId;
    const answer = await fetch(this.url, {
      headers,
      signal: abort.signal,
      credentials: "same-origin",
      cache: "no-store",
    });
    if (answer.status === 401) {
      this.stop();
      this.calls.onLoggedOut();
      return;
    }
    if (!answer.ok || !answer.body) throw new Error(`no events: ${answer.status}`);
    this.failures = 0;
    this.calls.onState("live");
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { value, done } = await this.#read(reader, abort);
      if (done) return;
      const whole = rest + value;
      // A carriage return at the end may be half of a line's end: it waits for the other half.
      const half = whole.endsWith("\r") ? "\r" : "";
      const blocks = whole.slice(0, whole.length - half.length).replace(/\r\n?/g, "\n").split("\n\n");
      rest = (blocks.pop() ?? "") + half;
      for (const block of blocks) this.#take(block);
    }
  }

  /**
   * Reads on; where the server sends heartbeats, a long silence counts as a broken line.
   * @param {ReadableStreamDefaultReader<string>} reader
   * @param {AbortController} abort
   */
  async #read(reader, abort) {
    const timer = this.heartbeats ? setTimeout(() => abort.abort(), SILENCE) : undefined;
    try {
      return await reader.read();
    } finally {
      clearTimeout(timer);
    }
  }

  /** @param {string} block one event as the stream spells it */
  #take(block) {
    let kind = "message";
    let id = "";
    /** @type {string[]} */
    const lines = [];
    for (const line of block.split("\n")) {
      if (line.startsWith(":")) {
        this.heartbeats = true;
        continue;
      }
      const colon = line.indexOf(":");
      const field = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
      if (field === "event") kind = value;
      else if (field === "id") id = value;
      else if (field === "data") lines.push(value);
    }
    if (id) this.lastId = id;
    if (lines.length === 0 && kind === "message") return;
    this.calls.onEvent({ kind, id, data: asObject(lines.join("\n")) });
  }

  /** @param {number} milliseconds */
  #pause(milliseconds) {
    return /** @type {Promise<void>} */ (
      new Promise((resolve) => {
        const timer = setTimeout(resolve, milliseconds);
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      })
    );
  }
}

/**
 * @param {string} text
 * @returns {Record<string, unknown>}
 */
function asObject(text) {
  try {
    const value = JSON.parse(text);
    return value !== null && typeof value === "object" ? value : {};
  } catch {
    return {};
  }
}
