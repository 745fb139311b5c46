// Keys: one letter an act, never with a modifier, never while somebody types.

/** @typedef {"approve" | "reject" | "session" | "always" | "never" | "down" | "up" | "next" | "explain" | "search" | "help" | "back"} KeyAct */

/** @type {Record<string, KeyAct>} */
const ACTS = {
  a: "approve",
  r: "reject",
  s: "session",
  A: "always",
  N: "never",
  j: "down",
  k: "up",
  n: "next",
  e: "explain",
  "/": "search",
  "?": "help",
  Escape: "back",
  ArrowDown: "down",
  ArrowUp: "up",
};

/** What the help shows: the keys and what they do. */
export const KEYS = [
  ["a", "approve the card once"],
  ["r", "reject it, with a reason"],
  ["s", "approve it for this session: first shows what that covers"],
  ["A", "always approve it: first shows what that covers"],
  ["N", "never again, with a reason"],
  ["j  or  ↓", "the next in the list"],
  ["k  or  ↑", "the one before"],
  ["n", "after a decision: the next that waits"],
  ["e", "explain why this asks"],
  ["/", "search what waits, where it is many"],
  ["?", "these keys"],
  ["Esc", "close what is open"],
];

/** @param {KeyboardEvent} event the element that has the focus, through all shadow roots */
function focused(event) {
  const target = event.composedPath()[0];
  return target instanceof Element ? target : document.documentElement;
}

/**
 * What a key press asks for, or null.
 * @param {KeyboardEvent} event
 * @returns {KeyAct | null}
 */
export function actOf(event) {
  if (event.defaultPrevented || event.repeat || event.isComposing) return null;
  if (event.ctrlKey || event.altKey || event.metaKey) return null;
  const at = focused(event);
  if (at.closest("input, textarea, select, [contenteditable], dialog")) return null;
  const act = ACTS[keyOf(event)] ?? null;
  // A capital letter is one that was meant: with shift, not with a locked key.
  const capital = act === "always" || act === "never";
  if (act !== "help" && act !== "search" && event.shiftKey !== capital) return null;
  // Where a part of the card has the focus, the arrows scroll it.
  if (event.key.startsWith("Arrow") && at !== document.body && !at.closest("sayso-row, a[href^='#/inbox']")) return null;
  return act;
}

/** @param {KeyboardEvent} event the letter on the key, also where the layout is not Latin */
function keyOf(event) {
  const letter = /^Key([A-Z])$/.exec(event.code)?.[1];
  return letter && event.key.length === 1 && !/^[\x20-\x7e]$/.test(event.key) ? (event.shiftKey ? letter : letter.toLowerCase()) : event.key;
}
