// One action's whole story: every record of it, oldest first, with its place in the chain, which can be checked.

import { LitElement, html, nothing } from "../../vendor/lit/lit.js";
import { alertOf } from "../../alert.js";
import { Refused } from "../../api.js";
import { kindOf, storyOf, subjectOf, verified, waitOf } from "../../audit.js";
import { asShown } from "../../shown.js";
import { styles } from "../../styles.js";
import { inFull } from "../../time.js";
import "../sayso-shown/sayso-shown.js";

/** @import {Entry, Verification} from "../../audit.js" */
/** @import {Waiting} from "../../waiting.js" */

/** What is told of a record, in this order. @type {[keyof Entry, string][]} */
const FACTS = [
  ["effect", "Verdict"],
  ["reason", "Reason"],
  ["rule", "Rule"],
  ["by", "Person"],
  ["channel", "Over"],
  ["waited", "Waited"],
  ["comment", "Comment"],
  ["outcome", "Outcome"],
  ["note", "Note"],
];

export class SaysoAuditStory extends LitElement {
  static properties = {
    waiting: { attribute: false },
    call: { attribute: false },
    entries: { state: true },
    chain: { state: true },
    busy: { state: true },
    problem: { state: true },
  };

  static styles = styles(import.meta.url);

  constructor() {
    super();
    /** @type {Waiting | null} */
    this.waiting = null;
    this.call = "";
    /** @type {Entry[] | null} */
    this.entries = null;
    /** @type {Verification | null} */
    this.chain = null;
    this.busy = false;
    /** @type {Refused | null} */
    this.problem = null;
  }

  /** @override */
  connectedCallback() {
    super.connectedCallback();
    document.title = "sayso · Audit";
  }

  /** @override @param {Map<string, unknown>} changed */
  updated(changed) {
    if (changed.has("call")) void this.#load(this.call);
  }

  /** @param {string} call */
  async #load(call) {
    const api = this.waiting?.api;
    if (!api) return;
    try {
      const entries = await storyOf(api, call);
      if (call !== this.call) return;
      [this.entries, this.chain, this.problem] = [entries, null, null];
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      [this.entries, this.problem] = [null, error];
    }
  }

  async #verify() {
    const api = this.waiting?.api;
    if (!api || this.busy) return;
    this.busy = true;
    try {
      this.chain = await verified(api);
      this.problem = null;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.problem = error;
    } finally {
      this.busy = false;
    }
  }

  /** @override */
  render() {
    return html`<main>
      <p><a href="#/audit">‹ Audit</a></p>
      ${this.entries === null ? nothing : this.#story(this.entries)} ${alertOf(this.problem)}
    </main>`;
  }

  /** @param {Entry[]} entries */
  #story(entries) {
    const told = entries.find((one) => one.tool) ?? entries[0];
    if (!told) {
      return html`<h1>Nothing is recorded</h1>
        <p>The log has no entry of <sayso-shown line .runs=${asShown(this.call)}></sayso-shown>. Look for it in <a href="#/audit">the whole log</a>.</p>`;
    }
    const asked = entries.some((one) => one.effect === "ask");
    return html`<h1><sayso-shown .runs=${asShown(subjectOf(told) || kindOf(told))}></sayso-shown></h1>
      <dl class="meta">
        ${this.#fact("Agent", told.agent_id)} ${this.#fact("For", told.user_id)} ${this.#fact("Source", told.source)} ${this.#fact("Session", told.session_id)}
        ${this.#fact("Id", this.call)} ${this.#fact("Digest", told.digest)}
      </dl>
      <p class="acts">
        ${asked ? html`<a class="to" href="#/inbox/${encodeURIComponent(this.call)}">Open its card</a>` : nothing}
        <button type="button" ?disabled=${this.busy} @click=${this.#verify}>Check the chain</button>
        <span role="status">${this.#checked()}</span>
      </p>
      <ol>
        ${entries.map((entry) => this.#entry(entry))}
      </ol>`;
  }

  #checked() {
    if (this.busy) return "Checking…";
    if (this.chain === null) return nothing;
    return this.chain.ok
      ? html`<b class="ok">Good:</b> each of the <span class="num">${this.chain.checked}</span> entries of the log follows the one before it.`
      : html`<b class="bad">Tampered with:</b> <sayso-shown line .runs=${asShown(this.chain.fault ?? "")}></sayso-shown>`;
  }

  /** @param {Entry} entry */
  #entry(entry) {
    return html`<li>
      <h2>${kindOf(entry)} <span class="meta num">${inFull(entry.at)}</span></h2>
      <dl>${FACTS.map(([name, label]) => this.#fact(label, name === "waited" && entry.waited !== undefined ? waitOf(entry.waited) : entry[name]))}</dl>
      ${entry.arguments === undefined
        ? nothing
        : html`<details>
            <summary>Arguments, without what is secret</summary>
            <pre tabindex="0"><sayso-shown .runs=${asShown(JSON.stringify(entry.arguments, null, 2))}></sayso-shown></pre>
          </details>`}
      <p class="chain meta">Entry <span class="num">${entry.seq}</span> · <code>${entry.hash}</code></p>
    </li>`;
  }

  /**
   * @param {string} label
   * @param {unknown} value
   */
  #fact(label, value) {
    if (value === undefined || value === null || value === "") return nothing;
    return html`<dt>${label}</dt><dd><sayso-shown .runs=${asShown(String(value))}></sayso-shown></dd>`;
  }
}

customElements.define("sayso-audit-story", SaysoAuditStory);
