// Who asks, for whom, from where, since when and until when.

import { LitElement, html, nothing } from "../../vendor/lit/lit.js";
import { asShown, plainText } from "../../shown.js";
import { styles } from "../../styles.js";
import { ago, inFull, left, now, Ticking } from "../../time.js";
import "../sayso-shown/sayso-shown.js";

/** @import {Asked, Card} from "../../types.js" */

export class SaysoFacts extends LitElement {
  static properties = {
    request: { attribute: false },
    me: { attribute: false },
  };

  static styles = styles(import.meta.url);

  constructor() {
    super();
    /** @type {Card | Asked | null} */
    this.request = null;
    this.me = "";
    new Ticking(this);
  }

  /** @override */
  render() {
    const { request, me } = this;
    if (!request) return nothing;
    const mine = me === plainText(request.user);
    const workspace = "workspace" in request ? request.workspace : null;
    const time = now();
    return html`<ul>
      <li><sayso-shown line .runs=${request.agent}></sayso-shown></li>
      ${mine ? nothing : html`<li>for <sayso-shown line .runs=${request.user}></sayso-shown></li>`}
      ${request.context_label ? html`<li><sayso-shown line .runs=${request.context_label}></sayso-shown></li>` : nothing}
      <li>over <sayso-shown line .runs=${asShown(request.source)}></sayso-shown></li>
      ${workspace ? html`<li class="place"><sayso-shown line .runs=${workspace}></sayso-shown></li>` : nothing}
      <li class="num" title=${inFull(request.created_at)}>asked ${ago(request.created_at, time)}</li>
      ${request.status !== "pending"
        ? nothing
        : request.expires_at
          ? html`<li class="num" title=${inFull(request.expires_at)}>expires in ${left(request.expires_at, time)}</li>`
          : html`<li>no time limit</li>`}
    </ul>`;
  }
}

customElements.define("sayso-facts", SaysoFacts);
