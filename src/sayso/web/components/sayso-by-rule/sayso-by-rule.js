// What rules alone decided lately, so that a person sees what was not asked. Nothing can be done here.

import { LitElement, html, nothing } from "../../vendor/lit/lit.js";
import { styles } from "../../styles.js";
import "../sayso-shown/sayso-shown.js";

/** @import {ByRule} from "../../types.js" */

export class SaysoByRule extends LitElement {
  static properties = { calls: { attribute: false } };

  static styles = styles(import.meta.url);

  constructor() {
    super();
    /** @type {ByRule[]} */
    this.calls = [];
  }

  /** @override */
  render() {
    if (this.calls.length === 0) return nothing;
    return html`<h2>Decided by rules</h2>
      <ul>
        ${this.calls.map(
          (call) => html`<li>
            <b class=${call.effect}>${call.effect === "allow" ? "Allowed" : "Denied"}</b>
            <span><sayso-shown line .runs=${call.tool}></sayso-shown></span>
            ${call.targets[0] ? html`<small><sayso-shown line .runs=${call.targets[0]}></sayso-shown></small>` : nothing}
            ${call.rule.length > 0 ? html`<small><sayso-shown line .runs=${call.rule}></sayso-shown></small>` : nothing}
          </li>`,
        )}
      </ul>`;
  }
}

customElements.define("sayso-by-rule", SaysoByRule);
