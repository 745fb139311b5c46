// How a request ended, in words.

import { asShown } from "./shown.js";
import { at, span } from "./time.js";

/** @import {Asked, Card, Shown} from "./types.js" */
/** @typedef {{words: Shown, tone: "good" | "bad" | "plain"}} Result */

/**
 * Who decided, as the reader would say it.
 * @param {Card} card
 * @param {string} me
 */
function decider(card, me) {
  const approved = card.who.reviews.findLast((review) => review.vote === "approve");
  const name = card.resolution?.by ?? approved?.by ?? null;
  return name === null ? null : name === me ? "you" : name;
}

/** @param {Card} card when a person decided */
function decidedAt(card) {
  return card.resolution?.at ?? card.who.reviews.at(-1)?.at ?? null;
}

/**
 * What came of the run, in a few words.
 * @param {Card} card
 * @param {string} me
 */
function ran(card, me) {
  const { outcome } = card;
  const time = span(outcome?.seconds ?? null);
  if (outcome?.said_by) {
    const says = outcome.said_by === me ? "you say" : `says ${outcome.said_by}`;
    return outcome.ok ? ` · it ran, ${says}` : ` · it did not run, ${says}`;
  }
  switch (card.status) {
    case "approved":
      return " · it has not run yet";
    case "running":
      return " · it runs now";
    case "done":
      return time ? `, ran in ${time}` : ", it ran";
    case "failed":
      return time ? `, ran ${time} and failed` : ", it ran and failed";
    case "unknown":
      return " · whether it ran is unknown";
    case "unreported":
      return " · what came of it is not reported";
    case "lapsed":
      return " · nobody ran it in time";
    case "superseded":
      return " · this no longer counts, it is asked again";
    default:
      return "";
  }
}

/**
 * The line that stands where the buttons stood: who, when, what came of it.
 * @param {Card} card
 * @param {string} me the reader's name
 * @param {number} now
 * @returns {Result}
 */
export function result(card, me, now) {
  const who = decider(card, me);
  const moment = decidedAt(card);
  const when = moment === null ? "" : ` ${at(moment, now)}`;
  const comment = card.resolution?.comment ? `: ${card.resolution.comment}` : "";
  /** @type {(text: string, tone: Result["tone"]) => Result} */
  const say = (text, tone) => ({ words: asShown(text), tone });
  switch (card.status) {
    case "rejected":
      return say(`Rejected by ${who ?? "sayso"}${when}${comment}`, "bad");
    case "expired":
      return say(`Expired${when}: nobody decided in time`, "plain");
    case "cancelled":
      return say(`Cancelled${when}${comment || ": the session was stopped"}`, "plain");
    case "refused":
      return say(`Refused by policy${when}${comment || ": a rule that denies it came after it was asked"}`, "bad");
    case "pending":
      return say("Waits for a decision", "plain");
    default: {
      const tone = card.status === "failed" || card.outcome?.ok === false ? "bad" : "good";
      const odd = ["unknown", "lapsed", "superseded", "unreported"].includes(card.status);
      return say(`Approved by ${who ?? "policy"}${when}${comment}${ran(card, me)}`, odd ? "plain" : tone);
    }
  }
}

const ANSWERED = { clarification: "Answered", elicitation: "Accepted", plan: "Answered" };

/**
 * The line that stands where the buttons of a question stood.
 * @param {Asked} question
 * @param {string} me the reader's name
 * @param {number} now
 * @returns {Result}
 */
export function answered(question, me, now) {
  const { status, resolution } = question;
  const by = resolution?.by ? ` by ${resolution.by === me ? "you" : resolution.by}` : "";
  const when = resolution ? ` ${at(resolution.at, now)}` : "";
  const comment = resolution?.comment ? `: ${resolution.comment}` : "";
  /** @type {(text: string, tone: Result["tone"]) => Result} */
  const say = (text, tone) => ({ words: asShown(text), tone });
  switch (status) {
    case "pending":
      return say("Waits for an answer", "plain");
    case "expired":
      return say(`Expired${when}: nobody answered in time`, "plain");
    case "declined":
      return say(`Declined${by}${when}`, "bad");
    case "cancelled":
      return say(`Cancelled${by}${when}${comment || (by ? "" : ": whoever asked needs it no more")}`, "plain");
    default: {
      if (question.kind !== "plan") return say(`${ANSWERED[question.kind]}${by}${when}`, "good");
      const label = question.answers.find(({ answer }) => answer === question.answer)?.label ?? "";
      return say(`Answered${by}${when}: ${label}`, question.answer === "keep-planning" ? "plain" : "good");
    }
  }
}

const APPROVERS = /** @type {Record<string, string>} */ ({
  end_user: "the person whose agent asks",
  operator: "an operator",
  admin: "an admin",
});

/** @param {Card} card who may decide, where the reader may not */
export function whoDecides(card) {
  return APPROVERS[card.who.approver] ?? card.who.approver;
}

const EFFECTS = /** @type {Record<string, string>} */ ({ ask: "asks", allow: "allowed", deny: "denied" });

/** @param {string} effect what a target does to the verdict */
export function effectWord(effect) {
  return EFFECTS[effect] ?? effect;
}
