// Moving the window over the drawing.

function zoom(factor, x, y) {
  const scale = Math.min(Math.max(view.scale * factor, LEAST_SCALE), LARGEST_SCALE);
  view.x = x - ((x - view.x) * scale) / view.scale;
  view.y = y - ((y - view.y) * scale) / view.scale;
  view.scale = scale;
  drawView();
}

function zoomAtCentre(factor) {
  const { width, height } = canvas.getBoundingClientRect();
  zoom(factor, width / 2, height / 2);
}

/** The part of the window that is free for the tree. */
function windowRoom() {
  const { width, height } = canvas.getBoundingClientRect();
  return { width: width - 2 * MARGIN, height: height - 2 * MARGIN - legend.offsetHeight };
}

function scaleFor({ left, top, right, bottom }) {
  const { width, height } = windowRoom();
  return Math.min(width / (right - left), height / (bottom - top));
}

function centre({ left, top, right, bottom }) {
  const { width, height } = windowRoom();
  view.x = MARGIN + (width - (left + right) * view.scale) / 2;
  view.y = MARGIN + (height - (top + bottom) * view.scale) / 2;
}

function isWithin({ left, top, right, bottom }) {
  const { width, height } = canvas.getBoundingClientRect();
  return (
    view.x + left * view.scale >= 0 && view.x + right * view.scale <= width &&
    view.y + top * view.scale >= 0 && view.y + bottom * view.scale <= height - legend.offsetHeight
  );
}

/** Puts all that is shown into the window; where that would be too small, the root and what fits. */
function fitAll(leastScale = LEAST_SCALE) {
  const corners = extent(shown);
  const room = scaleFor(corners);
  view.scale = Math.min(Math.max(room, leastScale), LARGEST_FIT);
  centre(room < leastScale ? extent([root, ...root.children]) : corners);
  if (room < leastScale) view.x = MARGIN;
  drawView();
}

/** Moves nodes into the window if they are not within it, smaller if need be; if too small to read, only the last. */
function reveal(some) {
  let corners = extent(some);
  if (scaleFor(corners) < READABLE_SCALE) corners = extent(some.slice(-1));
  if (view.scale >= READABLE_SCALE && isWithin(corners)) return;
  glide();
  const usual = view.scale < READABLE_SCALE ? COMFORTABLE_SCALE : view.scale;
  view.scale = Math.min(usual, Math.max(scaleFor(corners), READABLE_SCALE));
  centre(corners);
}

/** Lets the next move of the view take a moment; the style sheet leaves that out where less motion is wanted. */
function glide() {
  viewGroup.classList.add("gliding");
  viewGroup.addEventListener("transitionend", () => viewGroup.classList.remove("gliding"), { once: true });
}
