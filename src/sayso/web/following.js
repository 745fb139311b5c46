// What ties a component to what waits.

/** @import {Waiting} from "./waiting.js" */

/** Renders its host anew whenever what waits has changed. */
export class Following {
  /** @param {import("./vendor/lit/lit.js").LitElement & {waiting: Waiting | null}} host */
  constructor(host) {
    this.host = host;
    /** @type {Waiting | null} */
    this.followed = null;
    this.tell = () => host.requestUpdate();
    host.addController(this);
  }

  hostUpdate() {
    if (this.followed === this.host.waiting) return;
    this.followed?.removeEventListener("change", this.tell);
    this.followed = this.host.waiting;
    this.followed?.addEventListener("change", this.tell);
  }

  hostDisconnected() {
    this.followed?.removeEventListener("change", this.tell);
    this.followed = null;
  }
}
