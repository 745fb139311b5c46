// Times as people say them, and one clock that all components share.

/** @import {ReactiveController} from "./vendor/lit/lit.js" */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const clockTime = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const dayAndTime = new Intl.DateTimeFormat(undefined, {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
});
const complete = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long" });

/**
 * How long ago something was: "just now", "2 min ago", "3 h ago", "5 Nov, 14:02".
 * @param {string} moment RFC 3339
 * @param {number} now
 */
export function ago(moment, now) {
  const passed = now - Date.parse(moment);
  if (passed < MINUTE) return "just now";
  if (passed < HOUR) return `${Math.floor(passed / MINUTE)} min ago`;
  if (passed < DAY) return `${Math.floor(passed / HOUR)} h ago`;
  return `on ${dayAndTime.format(new Date(moment))}`;
}

/**
 * The same, short, for a list: "now", "2 min", "3 h", "4 d".
 * @param {string} moment
 * @param {number} now
 */
export function waited(moment, now) {
  const passed = now - Date.parse(moment);
  if (passed < MINUTE) return "now";
  if (passed < HOUR) return `${Math.floor(passed / MINUTE)} min`;
  if (passed < DAY) return `${Math.floor(passed / HOUR)} h`;
  return `${Math.floor(passed / DAY)} d`;
}

/**
 * What is left until a moment: "7:42", "1:07:05", "2 d 4 h"; "0:00" when it has passed.
 * @param {string} moment
 * @param {number} now
 */
export function left(moment, now) {
  const milliseconds = Math.max(0, Date.parse(moment) - now);
  if (milliseconds >= 2 * DAY) {
    return `${Math.floor(milliseconds / DAY)} d ${Math.floor((milliseconds % DAY) / HOUR)} h`;
  }
  const seconds = Math.floor(milliseconds / 1000);
  const two = (/** @type {number} */ n) => String(n).padStart(2, "0");
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/**
 * The time of day, with the date unless it was today.
 * @param {string} moment
 * @param {number} now
 */
export function at(moment, now) {
  const date = new Date(moment);
  const today = date.toDateString() === new Date(now).toDateString();
  return today ? `at ${clockTime.format(date)}` : `on ${dayAndTime.format(date)}`;
}

/** @param {string} moment */
export function inFull(moment) {
  return complete.format(new Date(moment));
}

/** @param {number | null} seconds how long something ran */
export function span(seconds) {
  if (seconds === null) return "";
  if (seconds < 0.05) return "under 0.1 s";
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

/** @type {Set<() => void>} */
const listeners = new Set();
let ahead = () => 0;

setInterval(() => {
  if (!document.hidden) listeners.forEach((tell) => tell());
}, 1000);
document.addEventListener("visibilitychange", () => listeners.forEach((tell) => tell()));

/** @param {() => number} skew how far the server's clock is ahead, in milliseconds */
export function followServer(skew) {
  ahead = skew;
}

/** The time by the server's clock. */
export function now() {
  return Date.now() + ahead();
}

/** Renders its host anew each second, as long as the host stands on the page. */
export class Ticking {
  /** @param {import("./vendor/lit/lit.js").LitElement} host */
  constructor(host) {
    this.host = host;
    this.tell = () => host.requestUpdate();
    host.addController(/** @type {ReactiveController} */ (this));
  }

  hostConnected() {
    listeners.add(this.tell);
  }

  hostDisconnected() {
    listeners.delete(this.tell);
  }
}
