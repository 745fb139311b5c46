// The keys, on one sheet.

import { LitElement, html } from "../../vendor/lit/lit.js";
import { KEYS } from "../../keys.js";
import { styles } from "../../styles.js";

export class SaysoKeys extends LitElement {
  static styles = styles(import.meta.url);

  show() {
    this.renderRoot.querySelector("dialog")?.showModal();
  }

  /** @override */
  render() {
    return html`<dialog aria-labelledby="keys" @click=${this.#onClick}>
      <form method="dialog">
        <h2 id="keys">Keys</h2>
        <dl>
          ${KEYS.map(([key, act]) => html`<dt><kbd>${key}</kbd></dt><dd>${act}</dd>`)}
        </dl>
        <p class="meta">Enter decides nothing. For 0.6 s after a card took its place, and while you type, no key decides.</p>
        <button type="submit">Close</button>
      </form>
    </dialog>`;
  }

  /** @param {MouseEvent} event a click beside the sheet closes it */
  #onClick(event) {
    if (event.target instanceof HTMLDialogElement) event.target.close();
  }
}

customElements.define("sayso-keys", SaysoKeys);
