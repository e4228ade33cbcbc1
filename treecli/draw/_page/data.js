// The data of the page, and the colours that belong to them.

const model = JSON.parse(document.getElementById("data").textContent);
const isClassification = model.labels !== null;

/** The colour of a class, the same as in all other pictures. */
function colorOf(code) {
  return model.colors[code];
}

/** A colour for a share from 0 to 1, from low to high. */
function scaleColor(share) {
  const place = Math.min(Math.max(share, 0), 1) * (model.scale.length - 1);
  const below = Math.min(Math.floor(place), model.scale.length - 2);
  const parts = (color) => [1, 3, 5].map((start) => parseInt(color.slice(start, start + 2), 16));
  const next = parts(model.scale[below + 1]);
  const mixed = parts(model.scale[below]).map((part, index) => Math.round(part + (place - below) * (next[index] - part)));
  return `rgb(${mixed.join(" ")})`;
}
