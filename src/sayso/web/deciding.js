// What all that decides on the page keeps to: time to read, no decision by Enter, and who may approve.

/** @import {Card} from "./types.js" */

/** For so long after something took its place nothing can be decided: the hand may mean what stood there before. */
export const ARMING = 600;

/**
 * Whether this person may approve the card now; where others have left, who approved says so once more.
 * @param {Card} card
 * @param {string} me
 */
export function mayApprove({ status, who, approve_refused }, me) {
  const voted = who.have < who.need && who.reviews.some((review) => review.by === me);
  return status === "pending" && who.may_decide && approve_refused === null && !voted;
}

/** @param {KeyboardEvent} event Enter decides nothing; the space bar presses the button as usual */
export function notByEnter(event) {
  if (event.key === "Enter") event.preventDefault();
}
