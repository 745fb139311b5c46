// The dialogue that a call came from, as the agent's side tells it: words, and nothing that runs.

import { LitElement, html, nothing } from "../../vendor/lit/lit.js";
import { asShown, isLong } from "../../shown.js";
import { styles } from "../../styles.js";
import "../sayso-shown/sayso-shown.js";

/** @import {Dialogue, Words} from "../../types.js" */

const REQUEST = "The user’s last request";

/** @type {Record<string, string>} */
const ROLES = { user: "User", assistant: "Assistant", tool: "Tool", system: "System" };

export class SaysoDialogue extends LitElement {
  static properties = { dialogue: { attribute: false } };

  static styles = styles(import.meta.url);

  constructor() {
    super();
    /** @type {Dialogue | null} */
    this.dialogue = null;
  }

  /** @override */
  render() {
    const { dialogue } = this;
    if (!dialogue) return nothing;
    const { user_request, summary, summary_by, messages } = dialogue;
    const by = summary_by ? `Summary, written by ${summary_by}` : "Summary";
    return html`<figure>
      <figcaption class="meta">The dialogue, as the agent’s side tells it, not checked</figcaption>
      <ol>
        ${user_request ? this.#said(REQUEST, user_request) : nothing} ${summary ? this.#said(by, summary) : nothing}
        ${messages.map((message) => this.#said(ROLES[message.role] ?? message.role, message))}
      </ol>
    </figure>`;
  }

  /**
   * @param {string} who
   * @param {Words} said
   */
  #said(who, { content, cut }) {
    const long = isLong(content);
    return html`<li>
      <p class="who"><sayso-shown line .runs=${asShown(who)}></sayso-shown></p>
      <blockquote class=${long ? "long" : ""} tabindex=${long ? 0 : nothing} aria-label="${who}, not checked"><sayso-shown .runs=${content}></sayso-shown></blockquote>
      ${cut ? html`<p class="meta">It went on; only its beginning was kept.</p>` : nothing}
    </li>`;
  }
}

customElements.define("sayso-dialogue", SaysoDialogue);
