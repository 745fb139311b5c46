// Shown text: cutting runs into lines, finding a part in them, and making plain strings visible.

/** @import {Run, Shown} from "./types.js" */
/** @typedef {Run & {hit?: boolean}} MarkedRun a run, and whether it is the part that asks */

// What cannot be seen: control, format, private and unassigned characters, separators, odd blanks.
const UNSEEN =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\u00a0\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u1680\u2000-\u200a\u202f\u205f\u2800\u3000\u3164\ufe00-\ufe0f\uffa0\u{e0100}-\u{e01ef}]/u;

/** @type {Record<string, string>} */
const NAMES = {
  "0007": "BELL",
  "0008": "BACKSPACE",
  "000D": "CARRIAGE RETURN",
  "001B": "ESCAPE",
  "00A0": "NO-BREAK SPACE",
  "00AD": "SOFT HYPHEN",
  "200B": "ZERO WIDTH SPACE",
  "200C": "ZERO WIDTH NON-JOINER",
  "200D": "ZERO WIDTH JOINER",
  "200E": "LEFT-TO-RIGHT MARK",
  "200F": "RIGHT-TO-LEFT MARK",
  "202A": "LEFT-TO-RIGHT EMBEDDING",
  "202B": "RIGHT-TO-LEFT EMBEDDING",
  "202C": "POP DIRECTIONAL FORMATTING",
  "202D": "LEFT-TO-RIGHT OVERRIDE",
  "202E": "RIGHT-TO-LEFT OVERRIDE",
  "2066": "LEFT-TO-RIGHT ISOLATE",
  "2067": "RIGHT-TO-LEFT ISOLATE",
  "2068": "FIRST STRONG ISOLATE",
  "2069": "POP DIRECTIONAL ISOLATE",
  FEFF: "ZERO WIDTH NO-BREAK SPACE",
};

/** @type {Map<string, Shown>} so that what stays the same is not drawn anew */
const known = new Map();

/**
 * A plain string as runs, for the few texts that the server does not send as such.
 * @param {string | null | undefined} text
 * @returns {Shown}
 */
export function asShown(text) {
  const whole = text ?? "";
  const found = known.get(whole) ?? runsOf(whole);
  if (known.size > 100) known.clear();
  known.set(whole, found);
  return found;
}

/**
 * A message as a sentence: a capital letter and a full stop.
 * @param {string} text
 */
export function sentence(text) {
  const whole = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(whole) ? whole : `${whole}.`;
}

/**
 * @param {string} text
 * @returns {Shown}
 */
function runsOf(text) {
  /** @type {Run[]} */
  const runs = [];
  let plain = "";
  for (const character of text) {
    if (character === "\n" || character === "\t" || !UNSEEN.test(character)) {
      plain += character;
      continue;
    }
    if (plain) runs.push({ text: plain });
    plain = "";
    const number = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    runs.push({ mark: `U+${number}`, name: NAMES[number] ?? "hidden character" });
  }
  if (plain) runs.push({ text: plain });
  return runs;
}

/**
 * The original text.
 * @param {Shown | null | undefined} shown
 */
export function plainText(shown) {
  return (shown ?? []).map(original).join("");
}

/**
 * The text as it is read: hidden characters spelled out, on one line.
 * @param {Shown | null | undefined} shown
 */
export function readText(shown) {
  return (shown ?? []).map((run) => ("mark" in run ? `[${run.mark}]` : run.text)).join("").replace(/\s+/g, " ");
}

/**
 * Whether a text is so long that it gets a box that scrolls.
 * @param {Shown} shown
 */
export function isLong(shown) {
  const text = plainText(shown);
  return text.length > 300 || text.split("\n", 8).length > 7;
}

/** @param {Run} run */
function original(run) {
  if (!("mark" in run)) return run.text;
  const number = Number.parseInt(run.mark.replace(/^U\+/, ""), 16);
  return Number.isNaN(number) || number > 0x10ffff ? "\ufffd" : String.fromCodePoint(number);
}

/**
 * The runs of each line.
 * @param {Shown} shown
 * @returns {Shown[]}
 */
export function linesOf(shown) {
  /** @type {Shown[]} */
  const lines = [[]];
  for (const run of shown) {
    if ("mark" in run) {
      lines[lines.length - 1].push(run);
      continue;
    }
    run.text.split("\n").forEach((text, index) => {
      if (index > 0) lines.push([]);
      if (text) lines[lines.length - 1].push({ ...run, text });
    });
  }
  return lines;
}

/**
 * The same runs, cut so that every occurrence of `part` is runs of its own, marked as hits.
 * @param {Shown} shown
 * @param {string[]} parts original texts to look for
 * @returns {MarkedRun[]}
 */
export function markParts(shown, parts) {
  const whole = plainText(shown);
  const hits = parts.filter((part) => part.length > 1).flatMap((part) => placesOf(whole, part));
  if (hits.length === 0) return shown;
  const cuts = [...new Set(hits.flat())].sort((a, b) => a - b);
  /** @param {number} at */
  const isHit = (at) => hits.some(([from, to]) => from <= at && at < to);
  /** @type {MarkedRun[]} */
  const runs = [];
  let at = 0;
  for (const run of shown) {
    const end = at + original(run).length;
    if ("mark" in run) {
      runs.push({ ...run, hit: isHit(at) });
    } else {
      const edges = [at, ...cuts.filter((cut) => at < cut && cut < end), end];
      for (let i = 0; i + 1 < edges.length; i += 1) {
        runs.push({ ...run, text: run.text.slice(edges[i] - at, edges[i + 1] - at), hit: isHit(edges[i]) });
      }
    }
    at = end;
  }
  return runs;
}

/**
 * @param {string} whole
 * @param {string} part
 * @returns {[number, number][]}
 */
function placesOf(whole, part) {
  /** @type {[number, number][]} */
  const places = [];
  for (let at = whole.indexOf(part); at >= 0 && places.length < 100; at = whole.indexOf(part, at + part.length)) {
    places.push([at, at + part.length]);
  }
  return places;
}

/**
 * Every hidden or odd character of some texts, each once, in words.
 * @param {(Shown | null)[]} texts
 * @returns {string[]}
 */
export function oddities(texts) {
  const found = new Set();
  for (const run of texts.flatMap((text) => text ?? [])) {
    if ("mark" in run) found.add(`${run.mark} is ${run.name}`);
    else if (run.warn) found.add(`${readText([run])}: ${run.warn}`);
  }
  return [...found];
}
