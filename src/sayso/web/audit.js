// The audit log: what the server tells of it, which entries are wanted, and the words for one.

/** @import {Api} from "./api.js" */

/**
 * @typedef {object} Entry one record of the log; what is empty is left out
 * @property {number} seq
 * @property {string} hash
 * @property {string} kind
 * @property {string} at
 * @property {string} [call_id]
 * @property {string} [session_id]
 * @property {string} [agent_id]
 * @property {string} [user_id]
 * @property {string} [source]
 * @property {string} [tool]
 * @property {string[]} [targets]
 * @property {unknown} [arguments]
 * @property {string} [digest]
 * @property {string} [effect]
 * @property {string} [reason]
 * @property {string} [rule]
 * @property {string} [by]
 * @property {string} [channel]
 * @property {string} [comment]
 * @property {number} [waited] seconds
 * @property {string} [outcome]
 * @property {string} [note]
 */

/** @typedef {{entries: Entry[], next: number | null}} EntryPage */
/** @typedef {{ok: boolean, checked: number, checkpoint: string, fault: string | null}} Verification */
/** @typedef {{day: string, checked: number, asked: number, approved: number, rejected: number, otherwise: number}} Day */
/** @typedef {{tool: string, asked: number, approved: number, rejected: number, rule_would_save: number}} ToolSum */

/**
 * @typedef {object} Figures
 * @property {number} entries
 * @property {boolean} complete
 * @property {Day[]} days
 * @property {Record<string, number>} effects
 * @property {Record<string, number>} resolutions
 * @property {ToolSum[]} tools
 * @property {number | null} waited_median seconds
 * @property {number | null} waited_p90 seconds
 * @property {number} rule_would_save
 */

/** What the list can be asked for: the name in the address and in the API, and the label. @type {[string, string][]} */
export const FILTERS = [
  ["tool", "Tool"],
  ["by", "Person"],
  ["agent", "Agent"],
  ["session", "Session"],
  ["reason", "Reason"],
  ["since", "From"],
  ["until", "Before"],
];
const KNOWN = [...FILTERS.map(([name]) => name), "before"];

const AT_ONCE = 50;
const OF_ONE = 1000; // one call has a handful

/** What the address asks for, and nothing else that stands in it. */
export function wanted() {
  const given = new URLSearchParams(location.hash.split("?").slice(1).join("?"));
  return new URLSearchParams([...given].filter(([name, value]) => KNOWN.includes(name) && value !== ""));
}

/** @param {URLSearchParams} filters */
export function addressOf(filters) {
  const text = filters.toString();
  return text ? `#/audit?${text}` : "#/audit";
}

/**
 * @param {Api} api
 * @param {URLSearchParams} filters
 */
export async function entriesOf(api, filters) {
  const query = new URLSearchParams(filters);
  query.set("limit", String(AT_ONCE));
  return /** @type {EntryPage} */ (await api.send("GET", `api/audit?${query}`));
}

/**
 * Everything that the log says of one call or question, oldest first.
 * @param {Api} api
 * @param {string} id
 */
export async function storyOf(api, id) {
  const query = new URLSearchParams({ call_id: id, limit: String(OF_ONE) });
  const found = /** @type {EntryPage} */ (await api.send("GET", `api/audit?${query}`));
  return found.entries.reverse();
}

/**
 * @param {Api} api
 * @param {URLSearchParams} filters of which the time counts
 */
export async function figuresOf(api, filters) {
  const query = new URLSearchParams([...filters].filter(([name]) => name === "since" || name === "until"));
  return /** @type {Figures} */ (await api.send("GET", `api/audit/stats?${query}`));
}

/** @param {Api} api */
export async function verified(api) {
  return /** @type {Verification} */ (await api.send("GET", "api/audit/verify"));
}

/** @type {Record<string, string>} */
const KINDS = {
  verdict: "Checked",
  review: "Answer",
  edit: "Edited",
  resolution: "Ended",
  claim: "Claimed",
  outcome: "Ran",
  configuration: "Settings",
  access: "Access",
  attention: "Attention",
  "break-glass": "Glass broken",
  question: "Question",
};

/** @param {Entry} entry */
export function kindOf(entry) {
  return KINDS[entry.kind] ?? entry.kind;
}

/** @param {number | null} seconds a wait, as people say it: "4 s", "3 min", "5 h", "2 d" */
export function waitOf(seconds) {
  if (seconds === null) return "–";
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 2 * 3600) return `${Math.round(seconds / 60)} min`;
  return seconds < 2 * 86_400 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} d`;
}

/** What an entry is about: the tool and what it touches, or what was done. @param {Entry} entry */
export function subjectOf(entry) {
  if (!entry.tool) return entry.note ?? "";
  const targets = (entry.targets ?? []).filter((one) => one !== entry.tool);
  const more = targets.length > 3 ? ` and ${targets.length - 3} more` : "";
  return [entry.tool ?? "", targets.slice(0, 3).join(" ") + more].join(" ").trim();
}

/** What else it says, in one line. @param {Entry} entry */
export function remarksOf(entry) {
  return [entry.reason, entry.rule, entry.by && `by ${entry.by}`, entry.comment && `“${entry.comment}”`, entry.outcome, entry.tool && entry.note].filter(Boolean).join(" · ");
}
