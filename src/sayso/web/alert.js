// What the server refused, in its words.

import { html, nothing } from "./vendor/lit/lit.js";
import { asShown, sentence } from "./shown.js";
import "./components/sayso-shown/sayso-shown.js";

/** @import {Refused} from "./api.js" */

/** @param {Refused | null} problem */
export function alertOf(problem) {
  if (!problem) return nothing;
  return html`<div class="alert" role="alert">
    <sayso-shown .runs=${asShown(sentence(problem.message))}></sayso-shown>
    ${problem.hint ? html`<small><sayso-shown .runs=${asShown(sentence(problem.hint))}></sayso-shown></small>` : nothing}
  </div>`;
}
