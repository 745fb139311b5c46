// Alike requests take one row that opens, so that a flood of them hides nothing else (GATE-9).

import { plainText } from "./shown.js";
import { isQuestion } from "./requests.js";

/** @import {Asked, Card} from "./types.js" */
/** @typedef {{id: string, card: Card | Asked} | {id: string, key: string, more: number, open: boolean, of: Card}} Item a row, or the line under the first of alike ones */

/** So many alike are listed one by one; more fold. The command line has the same number. */
const FEW = 5;

/**
 * What alike requests have in common; null of one that stands for itself. The severity is part of it,
 * so that no severe request is folded away under one that is not.
 * @param {Card | Asked} card
 */
export function alikeKey(card) {
  if (isQuestion(card) || card.status !== "pending") return null;
  const { tool, server, agent, user, session_id, severity, why } = card;
  return JSON.stringify([plainText(tool), plainText(server), plainText(agent), plainText(user), session_id, severity, why.rule]);
}

/** Remembers what is folded and what of it a person opened. */
export class Folds {
  constructor() {
    /** @type {Set<string>} what is folded stays so while two of it wait */
    this.folded = new Set();
    /** @type {Set<string>} */
    this.opened = new Set();
  }

  /** @param {string} key opens what is folded, or folds it again */
  toggle(key) {
    if (!this.opened.delete(key)) this.opened.add(key);
  }

  /**
   * What the list shows, in its order; alike ones come together in the place of the first.
   * @param {(Card | Asked)[]} cards
   * @param {string | null} selected is never hidden
   * @param {boolean} mayMove false: a hand is on the list, and nothing folds or unfolds under it by itself
   * @returns {Item[]}
   */
  items(cards, selected, mayMove) {
    /** @type {Map<string, Card[]>} */
    const groups = new Map();
    for (const card of cards) {
      const key = alikeKey(card);
      if (key === null) continue;
      const group = groups.get(key);
      if (group) group.push(/** @type {Card} */ (card));
      else groups.set(key, [/** @type {Card} */ (card)]);
    }
    if (mayMove) {
      for (const key of this.folded) if ((groups.get(key)?.length ?? 0) < 2) this.folded.delete(key);
      for (const [key, group] of groups) if (group.length > FEW) this.folded.add(key);
    }
    /** @type {Item[]} */
    const items = [];
    const done = new Set();
    for (const card of cards) {
      const key = alikeKey(card);
      const group = key === null ? undefined : groups.get(key);
      if (key === null || !group || !this.folded.has(key)) {
        items.push({ id: card.request_id, card });
      } else if (!done.has(key)) {
        done.add(key);
        const open = this.opened.has(key);
        const shown = group.filter((one, index) => open || index === 0 || one.request_id === selected);
        items.push(...shown.map((one) => ({ id: one.request_id, card: one })));
        items.push({ id: `fold ${key}`, key, more: group.length - (open ? 1 : shown.length), open, of: group[0] });
      }
    }
    return items;
  }
}
