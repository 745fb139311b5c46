// The pages behind the header, one entry each: the address, the name in the menu, who sees it there, what shows it.

import { html } from "./vendor/lit/lit.js";
import { styled } from "./styles.js";

/** @import {Waiting} from "./waiting.js" */
/** @import {Me} from "./types.js" */

/**
 * @typedef {object} Place
 * @property {string} path what follows `#/` in the address
 * @property {string} title
 * @property {(me: Me) => boolean} [for] whether the menu offers it; the server decides what anybody may see or do
 * @property {() => Promise<unknown>} [load] its component, fetched when it is first opened
 * @property {(waiting: Waiting, rest: string[]) => unknown} show `rest`: the parts of the address after the path
 */

/** @type {Place[]} */
export const PLACES = [
  {
    path: "inbox",
    title: "Inbox",
    show: (waiting) => html`<sayso-inbox .waiting=${waiting}></sayso-inbox>`,
  },
  {
    path: "grants",
    title: "Grants",
    load: () => import("./components/sayso-remembered/sayso-remembered.js"),
    show: (waiting) => html`<sayso-remembered .waiting=${waiting}></sayso-remembered>`,
  },
  {
    path: "audit",
    title: "Audit",
    for: (me) => me.person.admin,
    load: () => import("./components/sayso-audit/sayso-audit.js"),
    show: (waiting, [id]) =>
      id ? html`<sayso-audit-story .waiting=${waiting} .call=${id}></sayso-audit-story>` : html`<sayso-audit .waiting=${waiting}></sayso-audit>`,
  },
];

/**
 * The place at an address, and the parts of the address after it; an unknown one is the inbox.
 * @param {string} hash
 * @returns {[Place, string[]]}
 */
export function placeAt(hash) {
  const [path, ...rest] = hash.replace(/^#\/?/, "").replace(/\?.*$/s, "").split("/"); // after "?": the page's own
  const place = PLACES.find((one) => one.path === path);
  return place ? [place, rest.map(decoded)] : [/** @type {Place} */ (PLACES[0]), []];
}

/** @param {string} part of an address; one that cannot be decoded stays as it is */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** @param {Place} place settles when its component and all its styles are there */
export async function loaded(place) {
  await place.load?.();
  await styled();
}
