// One field of a form that a server asks to be filled in: its label, its control, what was wrong with it.

import { LitElement, html, nothing } from "../../vendor/lit/lit.js";
import { asShown, sentence } from "../../shown.js";
import { styles } from "../../styles.js";
import "../sayso-shown/sayso-shown.js";

/** @import {FormField, Shown} from "../../types.js" */
/** @typedef {{value: string, label: Shown}} Choice */

const MANY = 8;
const YES_NO = [
  { value: "true", label: asShown("Yes") },
  { value: "false", label: asShown("No") },
];
const NONE = { value: "", label: asShown("No answer") };
const TYPES = /** @type {Record<string, string>} */ ({ email: "email", uri: "url", date: "date" });
const LIKE = /** @type {Record<string, string>} */ ({ "date-time": "Like 2026-12-01T14:30:00Z." });

export class SaysoField extends LitElement {
  static properties = {
    field: { attribute: false },
    wrong: { attribute: false },
    disabled: { type: Boolean },
  };

  static styles = styles(import.meta.url, "answering.css");

  /** @type {ShadowRootInit} */
  static shadowRootOptions = { ...LitElement.shadowRootOptions, delegatesFocus: true };

  constructor() {
    super();
    /** @type {FormField | null} */
    this.field = null;
    /** What is wrong with what was typed. */
    this.wrong = "";
    this.disabled = false;
  }

  /** What is typed or chosen, as the server wants it; undefined for nothing. The server judges it. */
  get value() {
    const { field } = this;
    if (!field) return undefined;
    const boxes = /** @type {NodeListOf<HTMLInputElement>} */ (this.renderRoot.querySelectorAll("input:checked"));
    const chosen = [...boxes].map(({ value }) => value);
    if (field.kind === "array") return chosen.length > 0 ? chosen : field.required ? [] : undefined;
    if (this.#choices(field).length > 0) {
      const [one] = chosen;
      if (one === undefined || boxes[0].dataset["none"] === "") return undefined;
      return field.kind === "boolean" ? one === "true" : one;
    }
    const typed = this.renderRoot.querySelector("input")?.value ?? "";
    if (typed === "") return undefined;
    if (field.kind === "string") return typed;
    const number = Number(typed.trim());
    return Number.isFinite(number) && typed.trim() !== "" ? number : typed;
  }

  /** Forgets what was typed. */
  clear() {
    for (const input of this.renderRoot.querySelectorAll("input")) {
      if (input.type === "radio" || input.type === "checkbox") input.checked = false;
      else input.value = "";
    }
  }

  /**
   * @param {FormField} field
   * @returns {Choice[]} what can be chosen of
   */
  #choices(field) {
    return field.kind === "boolean" ? YES_NO : field.choices;
  }

  /** @override */
  render() {
    const { field } = this;
    if (!field) return nothing;
    const choices = this.#choices(field);
    return choices.length > 0 ? this.#group(field, choices) : this.#input(field);
  }

  /** @param {FormField} field */
  #label(field) {
    return html`<sayso-shown line .runs=${field.label}></sayso-shown> <span class="need">${field.required ? "required" : "optional"}</span>`;
  }

  /** @param {FormField} field */
  #below(field) {
    const hints = hintsOf(field);
    return html`<span id="hint" class="hint">
        ${field.description ? html`<sayso-shown .runs=${field.description}></sayso-shown>` : nothing}
        ${hints}
      </span>
      <span id="wrong" class="wrong" role="alert">${this.wrong ? html`<sayso-shown .runs=${asShown(sentence(this.wrong))}></sayso-shown>` : nothing}</span>`;
  }

  /** @param {FormField} field */
  #input(field) {
    const numeric = field.kind === "number" || field.kind === "integer";
    const type = field.secret ? "password" : numeric ? "text" : (TYPES[field.format ?? ""] ?? "text");
    const initial = field.secret || field.default === null ? "" : String(field.default);
    return html`<div class="field">
      <label class="label" for="input">${this.#label(field)}</label>
      <input
        id="input"
        type=${type}
        value=${initial}
        inputmode=${numeric ? (field.kind === "integer" ? "numeric" : "decimal") : nothing}
        autocomplete=${field.secret ? "new-password" : "off"}
        spellcheck="false"
        aria-required=${field.required}
        aria-invalid=${this.wrong !== ""}
        aria-describedby="hint wrong"
        ?disabled=${this.disabled}
        @keydown=${this.#onKey}
      />
      ${this.#below(field)}
    </div>`;
  }

  /**
   * @param {FormField} field
   * @param {Choice[]} choices
   */
  #group(field, choices) {
    const several = field.kind === "array";
    const initial = several ? (Array.isArray(field.default) ? field.default : []) : field.default === null ? [] : [String(field.default)];
    const offered = field.required || several ? choices : [...choices, NONE];
    return html`<fieldset ?disabled=${this.disabled} aria-describedby="hint wrong">
      <legend>${this.#label(field)}</legend>
      <div class="field ${offered.length > MANY ? "many" : ""}">
        ${offered.map(
          (choice) => html`<label class="option">
            <input type=${several ? "checkbox" : "radio"} name="choice" value=${choice.value} data-none=${choice === NONE ? "" : nothing} ?checked=${choice !== NONE && initial.includes(choice.value)} />
            <span><sayso-shown line .runs=${choice.label}></sayso-shown></span>
          </label>`,
        )}
      </div>
      ${this.#below(field)}
    </fieldset>`;
  }

  /** @param {KeyboardEvent} event Enter sends the form, as if the field stood in it */
  #onKey(event) {
    if (event.key === "Enter" && !event.isComposing) this.dispatchEvent(new CustomEvent("sayso-enter", { bubbles: true }));
  }
}

/** @param {FormField} field what its schema says of it, in words; the server checks it */
function hintsOf({ kind, format, constraints, secret }) {
  /** @param {string} name */
  const limit = (name) => (typeof constraints[name] === "number" ? Number(constraints[name]) : null);
  /** @type {string[]} */
  const hints = [];
  /** @type {(least: number | null, most: number | null, unit: string) => void} */
  const range = (least, most, unit) => {
    if (least !== null && most !== null) hints.push(`${least} to ${most}${unit}.`);
    else if (least !== null) hints.push(`At least ${least}${unit}.`);
    else if (most !== null) hints.push(`At most ${most}${unit}.`);
  };
  if (kind === "integer") hints.push("A whole number.");
  if (kind === "number") hints.push("A number.");
  if (kind === "array") hints.push("Choose as many as fit.");
  range(limit("minLength"), limit("maxLength"), " characters");
  range(limit("minimum"), limit("maximum"), "");
  range(limit("minItems"), limit("maxItems"), " of them");
  const like = LIKE[format ?? ""];
  if (like) hints.push(like);
  if (secret) hints.push("Goes to whoever asks and is not kept.");
  return hints.join(" ");
}

customElements.define("sayso-field", SaysoField);
