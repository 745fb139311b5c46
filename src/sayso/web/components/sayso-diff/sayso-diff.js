// A unified diff, line by line.

import { LitElement, html } from "../../vendor/lit/lit.js";
import { linesOf } from "../../shown.js";
import { styles } from "../../styles.js";
import "../sayso-shown/sayso-shown.js";

/** @import {Shown} from "../../types.js" */
/** @typedef {"added" | "removed" | "same" | "head"} Kind */

const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;

/**
 * What each line of a unified diff is. Inside a hunk its counts tell, so that a removed line that
 * begins with dashes is not taken for a file's name.
 * @param {Shown[]} lines
 * @returns {Kind[]}
 */
export function kindsOf(lines) {
  let removed = 0;
  let added = 0;
  return lines.map((line) => {
    const first = line[0];
    const start = first && "text" in first ? first.text : "";
    const hunk = HUNK.exec(start);
    if (hunk) {
      removed = Number(hunk[1] ?? 1);
      added = Number(hunk[2] ?? 1);
      return "head";
    }
    if (removed <= 0 && added <= 0) return "head";
    if (start.startsWith("+")) {
      added -= 1;
      return "added";
    }
    if (start.startsWith("-")) {
      removed -= 1;
      return "removed";
    }
    if (start.startsWith("\\")) return "head";
    removed -= 1;
    added -= 1;
    return "same";
  });
}

export class SaysoDiff extends LitElement {
  static properties = { diff: { attribute: false } };

  static styles = styles(import.meta.url);

  constructor() {
    super();
    /** @type {Shown} */
    this.diff = [];
  }

  /** @override */
  render() {
    const lines = linesOf(this.diff);
    if (lines.at(-1)?.length === 0) lines.pop();
    const kinds = kindsOf(lines);
    return html`<div class="lines">
      ${lines.map((line, index) => html`<div class=${kinds[index]}><sayso-shown .runs=${line}></sayso-shown></div>`)}
    </div>`;
  }
}

customElements.define("sayso-diff", SaysoDiff);
