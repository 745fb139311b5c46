// Filter and search of the list: what is shown of what waits. Nothing here decides or hides for anybody else.

import { readText } from "./shown.js";
import { isQuestion, kindOf, titleOf } from "./requests.js";

/** @import {Asked, Card} from "./types.js" */
/** @typedef {{text: string, what: string, agent: string, session: string}} Filter empty: everything */

/** @type {Readonly<Filter>} */
export const EVERYTHING = Object.freeze({ text: "", what: "", agent: "", session: "" });

const ID = 6; // shorter, and a number that somebody looks for would be in too many ids

/** What can be chosen: the severities of approvals, and the kinds of questions. */
export const WHAT = /** @type {const} */ ([
  ["", "Everything"],
  ["high", "High severity"],
  ["medium", "Medium severity"],
  ["low", "Low severity"],
  ["clarification", "Questions"],
  ["elicitation", "Forms"],
  ["plan", "Plans"],
]);

/** @param {Filter} filter whether it leaves anything out */
export function isFiltering(filter) {
  return Object.values(filter).some((value) => value.trim() !== "");
}

/**
 * Whether a request is to be shown: all words of the search occur in it, and it is what was chosen.
 * @param {Filter} filter
 * @param {Card | Asked} card
 */
export function passes({ text, what, agent, session }, card) {
  if (what !== "" && what !== (isQuestion(card) ? kindOf(card) : card.severity)) return false;
  if (agent !== "" && agent !== readText(card.agent)) return false;
  if (session !== "" && session !== card.session_id) return false;
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return true;
  const whole = searched(card);
  const ids = [card.request_id, card.session_id];
  return words.every((word) => whole.includes(word) || (word.length >= ID && ids.some((id) => id.includes(word))));
}

/** @param {Card | Asked} card the text that a search looks at */
function searched(card) {
  const texts = [titleOf(card), card.agent, card.user, card.context_label];
  if (!isQuestion(card)) texts.push(card.tool, card.server, card.workspace, ...card.what.arguments.map((one) => one.value));
  return [...texts.map(readText), isQuestion(card) ? "" : card.code].join("\n").toLowerCase();
}

/**
 * The agents and the sessions of the list, each once, in its order; a session by how people know it.
 * @param {(Card | Asked)[]} cards
 */
export function choices(cards) {
  const agents = [...new Set(cards.map((card) => readText(card.agent)))];
  const sessions = new Map(cards.map((card) => [card.session_id, sessionName(card)]));
  return { agents, sessions: [...sessions] };
}

/** @param {Card | Asked} card */
function sessionName(card) {
  const place = readText(card.context_label ?? ("workspace" in card ? card.workspace : null));
  return `${place || readText(card.agent)} · ${card.session_id.slice(-6)}`;
}
