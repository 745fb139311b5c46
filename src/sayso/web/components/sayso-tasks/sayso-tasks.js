// The task list of a session, as the agent keeps it: a quiet checklist.

import { LitElement, html, nothing } from "../../vendor/lit/lit.js";
import { Refused } from "../../api.js";
import { styles } from "../../styles.js";
import "../sayso-shown/sayso-shown.js";

/** @import {PropertyValues} from "../../vendor/lit/lit.js" */
/** @import {TaskList} from "../../types.js" */
/** @import {Told} from "../../events.js" */
/** @import {Waiting} from "../../waiting.js" */

const SHORT = 5; // so many tasks need no scrolling
const STATUS = { pending: "to do", in_progress: "in progress", done: "done" };

export class SaysoTasks extends LitElement {
  static properties = {
    session: { attribute: false },
    waiting: { attribute: false },
    list: { state: true },
  };

  static styles = styles(import.meta.url);

  constructor() {
    super();
    this.session = "";
    /** @type {Waiting | null} */
    this.waiting = null;
    /** @type {TaskList | null} */
    this.list = null;
    this.onTold = (/** @type {Event} */ event) => this.#onTold(event);
  }

  /** @override */
  disconnectedCallback() {
    super.disconnectedCallback();
    this.waiting?.removeEventListener("told", this.onTold);
  }

  /** @override */
  connectedCallback() {
    super.connectedCallback();
    this.waiting?.addEventListener("told", this.onTold);
  }

  /** @override @param {PropertyValues<this>} changed */
  willUpdate(changed) {
    if (changed.has("waiting")) {
      changed.get("waiting")?.removeEventListener("told", this.onTold);
      this.waiting?.addEventListener("told", this.onTold);
    }
    if (!changed.has("session")) return;
    this.list = null;
    void this.#load();
  }

  /** @param {Event} event */
  #onTold(event) {
    const { kind, data } = /** @type {CustomEvent<Told>} */ (event).detail;
    if (kind === "reload" || (kind === "todo_changed" && data["session_id"] === this.session)) void this.#load();
  }

  async #load() {
    const { session, waiting } = this;
    if (!waiting || session === "") return;
    try {
      const list = await waiting.api.tasks(session);
      if (session === this.session) this.list = list;
    } catch (error) {
      if (!(error instanceof Refused)) throw error; // it is beside what is decided: without it the page serves as well
    }
  }

  /** @override */
  updated() {
    this.toggleAttribute("hidden", !this.list || this.list.total === 0);
  }

  /** @override */
  render() {
    const { list } = this;
    if (!list || list.total === 0) return nothing;
    return html`<section aria-labelledby="tasks">
      <h2 id="tasks">The agent’s task list<span class="num">${list.done} of ${list.total} done</span></h2>
      <ul class="all" tabindex=${list.total > SHORT ? 0 : nothing} aria-labelledby="tasks">
        ${list.items.map(({ content, status }) => html`<li class=${status}><span><sayso-shown line .runs=${content}></sayso-shown><span class="unseen">, ${STATUS[status]}</span></span></li>`)}
      </ul>
    </section>`;
  }
}

customElements.define("sayso-tasks", SaysoTasks);
