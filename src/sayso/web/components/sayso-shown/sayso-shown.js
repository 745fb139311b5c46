// Text that others wrote, shown so that it can be nothing but text.

import { LitElement, html, nothing } from "../../vendor/lit/lit.js";
import { markParts } from "../../shown.js";
import { styles } from "../../styles.js";

/** @import {Shown} from "../../types.js" */
/** @import {MarkedRun} from "../../shown.js" */

/**
 * Renders Shown runs: text as isolated text, characters that cannot be seen as boxes, look-alikes
 * underlined with words. With `line`, line breaks and tabs are boxes too.
 */
export class SaysoShown extends LitElement {
  static properties = {
    runs: { attribute: false },
    parts: { attribute: false },
    line: { type: Boolean, reflect: true },
  };

  static styles = styles(import.meta.url);

  constructor() {
    super();
    /** @type {Shown | null} */
    this.runs = null;
    /** @type {string[]} original texts that are marked wherever they stand */
    this.parts = [];
    this.line = false;
  }

  /** @override */
  render() {
    return markParts(this.runs ?? [], this.parts).map((run) => this.#run(run));
  }

  /** @param {MarkedRun} run */
  #run(run) {
    const hit = run.hit ? "hit" : "";
    if ("mark" in run) return box(run.mark, run.name, hit);
    const pieces = this.line ? run.text.split(/(\r\n|\n|\t)/) : [run.text];
    const text = pieces.map((piece, index) => (index % 2 === 0 ? piece : lineBox(piece)));
    if (!run.warn) return html`<span class="text ${hit}">${text}</span>`;
    return html`<span class="text warn ${hit}" title=${run.warn}>${text}</span><span class="box"><span class="unseen">, odd: </span>${run.warn}<span class="unseen">, </span></span>`;
  }
}

/**
 * @param {string} mark
 * @param {string} name
 * @param {string} hit
 */
function box(mark, name, hit = "") {
  return html`<span class="box ${hit}" title=${name || nothing}><span class="unseen"> hidden character </span>${mark}<span class="unseen"> </span></span>`;
}

/** @param {string} piece a line break or a tab, where a single line is shown */
function lineBox(piece) {
  return piece === "\t" ? box("tab", "a tab") : box("new line", "a line break");
}

customElements.define("sayso-shown", SaysoShown);
