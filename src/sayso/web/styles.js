// Style sheets stand in files beside the components, and are shared by all instances of one.

/** @type {Promise<unknown>[]} */
const loading = [];

/** @type {Map<string, CSSStyleSheet>} */
const sheets = new Map();

/**
 * The style sheet of a file, which fills as soon as it has arrived.
 * @param {string} href
 * @returns {CSSStyleSheet}
 */
function sheet(href) {
  const known = sheets.get(href);
  if (known) return known;
  const made = new CSSStyleSheet();
  sheets.set(href, made);
  loading.push(
    fetch(href).then(async (answer) => {
      if (!answer.ok) throw new Error(`no style sheet at ${href}`);
      made.replaceSync(await answer.text());
    }),
  );
  return made;
}

/**
 * The shared style sheet, others by their names, and the one beside a component's script.
 * @param {string} script the component's `import.meta.url`
 * @param {string[]} others files in this folder
 * @returns {CSSStyleSheet[]}
 */
export function styles(script, ...others) {
  const shared = ["shared.css", ...others].map((name) => sheet(new URL(name, import.meta.url).href));
  return [...shared, sheet(script.replace(/\.js$/, ".css"))];
}

/** Settles when every style sheet asked for so far has arrived; rejects if one cannot. */
export function styled() {
  return Promise.all(loading);
}
