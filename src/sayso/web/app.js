// The entry: shows the page as soon as its styles are there, and says so where they cannot come.

import "./components/sayso-app/sayso-app.js";
import { styled } from "./styles.js";

try {
  await styled();
  document.body.append(document.createElement("sayso-app"));
} catch {
  // Unstyled, a card could hide what it must show: better no card at all.
  const words = document.createElement("p");
  words.className = "plain";
  words.setAttribute("role", "alert");
  words.textContent = "The page could not be loaded completely. Reload it; if that does not help, look at the server’s log.";
  document.body.append(words);
}
