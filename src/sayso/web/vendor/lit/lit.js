// The parts of Lit that the page uses, under one name.
export { LitElement, css, html, noChange, nothing, svg } from "./lit-element.js";
export { repeat } from "./repeat.js";
