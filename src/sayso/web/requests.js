// What waits in the inbox, of whatever kind: an approval's card, or a question that is none.

import { asShown } from "./shown.js";

/** @import {Asked, Card, Kind, Shown} from "./types.js" */

/** The folder of each kind in the API; one that is not known is looked for in this order. */
export const FOLDERS = /** @type {Record<Kind, string>} */ ({
  approval: "approvals",
  clarification: "clarifications",
  elicitation: "elicitations",
  plan: "plans",
});

/**
 * @param {Card | Asked} request
 * @returns {request is Asked}
 */
export function isQuestion(request) {
  return "kind" in request;
}

/**
 * @param {Card | Asked} request
 * @returns {Kind}
 */
export function kindOf(request) {
  return isQuestion(request) ? request.kind : "approval";
}

/**
 * The kind that an event tells of, by its name; undefined where several kinds have it.
 * @param {string} event
 * @returns {Kind | undefined}
 */
export function kindTold(event) {
  return /** @type {Kind[]} */ (Object.keys(FOLDERS)).find((kind) => event.startsWith(`${kind}_`));
}

/** @param {Card | Asked} request whether a person still has something to say of it */
export function isOpen(request) {
  if (isQuestion(request)) return request.status === "pending";
  if (request.status === "pending") return request.asking.snoozed_until === null;
  return request.status === "unknown" || request.asking.may_review_glass;
}

/**
 * What it is about, in one line.
 * @param {Card | Asked | undefined} request
 * @returns {Shown}
 */
export function titleOf(request) {
  if (!request) return asShown("");
  return isQuestion(request) ? request.title : request.action;
}

/** @type {(a: Card | Asked, b: Card | Asked) => number} */
export const byAge = (a, b) => (a.created_at === b.created_at ? 0 : a.created_at < b.created_at ? -1 : 1);

/** @param {unknown} card whether an event brought the card along */
export const isCard = (card) => card !== null && typeof card === "object" && "request_id" in card;
