// How many wait, where it is seen without looking at the page: its title, its tab's icon, the installed app's badge.

/** @type {HTMLLinkElement | null} */
const icon = document.querySelector('link[rel="icon"]');
const plain = icon?.getAttribute("href") ?? "";
let told = -1;

/** @param {number} count */
export function showCount(count) {
  if (count === told) return;
  told = count;
  icon?.setAttribute("href", count > 0 ? drawn(count) : plain);
  const badge = count > 0 ? navigator.setAppBadge?.(count) : navigator.clearAppBadge?.();
  badge?.catch(() => {}); // not installed, or not allowed: the title and the icon say it too
}

/** @param {number} count the icon with the number on it, as a picture that is part of the page */
function drawn(count) {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 64;
  const pen = canvas.getContext("2d");
  if (!pen) return plain;
  pen.fillStyle = "#b3261e";
  pen.beginPath();
  pen.roundRect(0, 0, 64, 64, 20);
  pen.fill();
  pen.fillStyle = "#ffffff";
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.font = `700 ${count > 99 ? 30 : 44}px system-ui, sans-serif`;
  pen.fillText(count > 99 ? "99+" : `${count}`, 32, 35);
  return canvas.toDataURL("image/png");
}
