// What `tsc` knows of lit.js comes from the package of the same version.
export { LitElement, css, html, noChange, nothing, svg } from "lit";
export { repeat } from "lit/directives/repeat.js";
export type { CSSResultOrNative, PropertyValues, ReactiveController, TemplateResult } from "lit";
