// What rules alone decided lately, so that a person sees what was not asked. Nothing can be done here.

import { LitElement, html, nothing } from "../../vendor/lit/lit.js";
import { plainText, readText } from "../../shown.js";
import { styles } from "../../styles.js";
import { waited } from "../../time.js";
import "../sayso-shown/sayso-shown.js";

/** @import {ByRule} from "../../types.js" */

export class SaysoByRule extends LitElement {
  static properties = { calls: { attribute: false }, now: { attribute: false } };

  static styles = styles(import.meta.url);

  constructor() {
    super();
    /** @type {ByRule[]} */
    this.calls = [];
    this.now = 0;
  }

  /** @override */
  render() {
    if (this.calls.length === 0) return nothing;
    return html`<h2>Decided by rules</h2>
      <ul>
        ${this.calls.map((call) => this.#call(call))}
      </ul>`;
  }

  /** @param {ByRule} call */
  #call({ at, tool, targets, effect, rule }) {
    const name = plainText(tool);
    const target = targets.find((one) => plainText(one) !== name);
    return html`<li>
      <b class=${effect}>${effect === "allow" ? "Allowed" : "Denied"}</b>
      <span class="call" title=${readText([...tool, { text: " " }, ...(target ?? [])])}><sayso-shown line .runs=${tool}></sayso-shown>${target ? html` <sayso-shown line .runs=${target}></sayso-shown>` : nothing}</span>
      <span class="num">${waited(at, this.now)}</span>
      ${rule.length > 0 ? html`<small>by <sayso-shown line .runs=${rule}></sayso-shown></small>` : nothing}
    </li>`;
  }
}

customElements.define("sayso-by-rule", SaysoByRule);
