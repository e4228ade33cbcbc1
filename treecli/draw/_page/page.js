// What keys, pointers and buttons do.

const query = document.getElementById("query");
const found = document.getElementById("found");
const ZOOM_STEP = 1.25;
/** A tree that fits into the window no smaller than this is open at first. */
const LEAST_SCALE_AT_FIRST = 0.5;
const LEAST_LEVELS = 3;
const CLICK_DISTANCE = 4;
const MOST_IN_LEGEND = 40;
/** Some wheels report a hundred pixels a notch, some a thousand. */
const LARGEST_TURN = 200;

function activate(node) {
  state.active = node;
  reveal([node]);
  redraw();
}

function select(node) {
  openPathTo(node);
  arrange();
  state.selected = node;
  showNode(node);
  activate(node);
}

/** Opens or closes a node, which stays where it is on the screen. */
function setOpen(node, isOpen) {
  if (!node.children.length || node.isOpen === isOpen) return;
  const before = node.y;
  node.isOpen = isOpen;
  // What is closed takes the place of a node within it.
  for (let step = state.active; step && !isOpen; step = step.above) if (step === node) state.active = node;
  arrange();
  view.y += (before - node.y) * view.scale;
  redraw();
}

function setAllOpen(isOpen) {
  openAll(isOpen);
  arrange();
  if (!shown.includes(state.active)) state.active = root;
  redraw();
  fitAll();
}

const KEYS = {
  ArrowDown: () => shown[state.active.order + 1] && activate(shown[state.active.order + 1]),
  ArrowUp: () => shown[state.active.order - 1] && activate(shown[state.active.order - 1]),
  ArrowRight: () => {
    const node = state.active;
    if (isShownOpen(node)) activate(node.children[0]);
    else setOpen(node, true);
  },
  ArrowLeft: () => {
    const node = state.active;
    if (isShownOpen(node)) setOpen(node, false);
    else if (node.above) activate(node.above);
  },
  Home: () => activate(root),
  End: () => activate(shown.at(-1)),
  Enter: () => select(state.active),
  " ": () => setOpen(state.active, !state.active.isOpen),
  "+": () => zoomAtCentre(ZOOM_STEP),
  "=": () => zoomAtCentre(ZOOM_STEP),
  "-": () => zoomAtCentre(1 / ZOOM_STEP),
  0: () => fitAll(),
};

canvas.addEventListener("keydown", (event) => {
  const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : KEYS[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

document.addEventListener("keydown", (event) => {
  const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
  if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    query.focus();
    query.select();
  } else if (event.key === "Escape") {
    forget();
    canvas.focus();
  }
});

/** Ends the search, hides the tip and forgets what was chosen. */
function forget() {
  tip.hidden = true;
  query.value = "";
  search();
  state.selected = null;
  nodePanel.replaceChildren(make("p", { class: "quiet" }, "Choose a node to see its rule and its cases."));
  redraw();
}

// Search

let matches = [];
let current = -1;

function search() {
  matches = query.value.trim() ? nodesWith(query.value.trim()) : [];
  current = -1;
  state.matches = new Set(matches);
  found.textContent = query.value.trim() ? plural(matches.length, "node") : "";
  redraw();
}

function goToMatch(step) {
  if (!matches.length) return;
  current = (current + step + matches.length) % matches.length;
  found.textContent = `${current + 1} of ${matches.length}`;
  select(matches[current]);
}

query.addEventListener("input", search);
query.addEventListener("keydown", (event) => {
  if (event.key !== "Enter") return;
  event.preventDefault();
  if (event.shiftKey && current < 0) current = 0;
  goToMatch(event.shiftKey ? -1 : 1);
});
document.getElementById("search").addEventListener("submit", (event) => event.preventDefault());

// Pointers: one drags or clicks, two pinch.

const pointers = new Map();
let pressed = null;

canvas.addEventListener("pointerdown", (event) => {
  if (event.button > 0) return;
  pointers.set(event.pointerId, event);
  pressed = pointers.size === 1 ? { x: event.clientX, y: event.clientY, target: event.target, hasMoved: false } : null;
  viewGroup.classList.remove("gliding");
  tip.hidden = true;
});

canvas.addEventListener("pointermove", (event) => {
  const before = pointers.get(event.pointerId);
  if (!before) {
    const node = event.pointerType === "touch" ? null : nodeAt(event.target, event.clientX, event.clientY);
    if (node) showTip(node, event.clientX, event.clientY);
    else tip.hidden = true;
    return;
  }
  const corner = canvas.getBoundingClientRect();
  if (pointers.size === 1) {
    const distance = pressed ? Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) : 0;
    if (distance >= CLICK_DISTANCE && !pressed.hasMoved) {
      pressed.hasMoved = true;
      // Not before it moves, or a click would be the canvas's and not the node's.
      canvas.setPointerCapture(event.pointerId);
      canvas.classList.add("dragging");
    }
    if (!pressed || pressed.hasMoved) {
      view.x += event.clientX - before.clientX;
      view.y += event.clientY - before.clientY;
      drawView();
    }
  } else {
    const other = [...pointers.values()].find((pointer) => pointer.pointerId !== event.pointerId);
    const distance = (pointer) => Math.hypot(pointer.clientX - other.clientX, pointer.clientY - other.clientY);
    const x = (event.clientX + other.clientX) / 2 - corner.left;
    const y = (event.clientY + other.clientY) / 2 - corner.top;
    zoom(distance(event) / Math.max(distance(before), 1), x, y);
  }
  if (!pressed || pressed.hasMoved || pointers.size > 1) pointers.set(event.pointerId, event);
});

function release(event) {
  if (!pointers.delete(event.pointerId)) return;
  canvas.classList.remove("dragging");
  if (event.type === "pointerup" && pressed && !pressed.hasMoved) click(pressed);
  pressed = null;
}

function click({ target, x, y }) {
  const node = nodeAt(target, x, y);
  canvas.focus({ preventScroll: true });
  if (!node) return;
  if (target.closest(".toggle")) {
    state.active = node;
    setOpen(node, !node.isOpen);
  } else {
    select(node);
  }
}

canvas.addEventListener("pointerup", release);
canvas.addEventListener("pointercancel", release);
canvas.addEventListener("pointerleave", () => (tip.hidden = true));
canvas.addEventListener("dblclick", (event) => {
  const node = nodeAt(event.target, event.clientX, event.clientY);
  if (node && !event.target.closest(".toggle")) setOpen(node, !node.isOpen);
});
canvas.addEventListener(
  "wheel",
  (event) => {
    event.preventDefault();
    tip.hidden = true;
    viewGroup.classList.remove("gliding");
    const corner = canvas.getBoundingClientRect();
    // A line of a wheel that counts lines is some 16 pixels.
    const delta = event.deltaY * (event.deltaMode === 1 ? 16 : 1);
    if (event.shiftKey || event.deltaX) {
      view.x -= event.deltaX || delta;
      if (event.deltaX) view.y -= delta;
      drawView();
    } else {
      const turn = Math.max(-LARGEST_TURN, Math.min(LARGEST_TURN, delta));
      zoom(Math.exp(-turn / (2 * LARGEST_TURN)), event.clientX - corner.left, event.clientY - corner.top);
    }
  },
  { passive: false },
);

// Buttons and fields

const BUTTONS = {
  expand: () => setAllOpen(true),
  collapse: () => setAllOpen(false),
  in: () => zoomAtCentre(ZOOM_STEP),
  out: () => zoomAtCentre(1 / ZOOM_STEP),
  fit: () => fitAll(),
  side: () => {
    const isHidden = document.body.classList.toggle("without-panel");
    document.getElementById("side").setAttribute("aria-expanded", String(!isHidden));
    drawView();
  },
};
for (const [id, act] of Object.entries(BUTTONS)) document.getElementById(id).addEventListener("click", act);

document.getElementById("panel").addEventListener("click", (event) => {
  const button = event.target.closest("[data-go]");
  if (button) select(nodeOf.get(Number(button.dataset.go)));
});
addEventListener("resize", () => drawView());

// On paper the whole of what is open, as large as the sheet allows.
addEventListener("beforeprint", () => {
  const { left, top, right, bottom } = extent(shown);
  canvas.setAttribute("viewBox", `${left - 4} ${top - 4} ${right - left + 8} ${bottom - top + 8}`);
  canvas.style.maxWidth = `${right - left + 8}px`;
  const before = { ...view };
  Object.assign(view, { x: 0, y: 0, scale: 1 });
  drawView(true);
  addEventListener("afterprint", () => {
    canvas.removeAttribute("viewBox");
    canvas.style.maxWidth = "";
    Object.assign(view, before);
    redraw();
  }, { once: true });
});

// The beginning

function describePage() {
  const leaves = nodes.filter((node) => node.isLeaf).length;
  const target = visible(model.target);
  document.title = `${target}: decision tree`;
  document.getElementById("title").textContent = `Decision tree: ${target}`;
  const about = [plural(nodes.length, "node"), leaves === 1 ? "1 leaf" : `${leaves} leaves`, `depth ${deepest}`];
  about.push(casesText(root.weight));
  if (root.id !== 0) about.unshift(`from node ${root.id} on`);
  if (model.source) about.push(visible(model.source));
  document.getElementById("facts").textContent = `${about.join(" · ")} · ${model.program}`;
  canvas.setAttribute("aria-label", `Decision tree for ${target}`);
}

function showLegend() {
  legend.replaceChildren();
  if (!isClassification) {
    const scale = make("span", { class: "scale", "aria-hidden": "true" });
    scale.style.background = `linear-gradient(to right, ${model.scale.join(", ")})`;
    legend.append(make("li", {}, readable(lowest), scale, readable(highest)));
    return;
  }
  model.labels.slice(0, MOST_IN_LEGEND).forEach((label, code) => {
    legend.append(make("li", {}, swatch(code), make("bdi", {}, visible(label))));
  });
  const nMore = model.labels.length - MOST_IN_LEGEND;
  if (nMore > 0) legend.append(make("li", {}, `… and ${nMore} more`));
}

describePage();
showLegend();
buildForm(askedAttributes(), "This tree asks");
forget();
openAll(true);
arrange();
let leastScale = LEAST_SCALE_AT_FIRST;
if (scaleFor(extent(shown)) < leastScale) {
  openAll(false);
  const { width, height } = windowRoom();
  const nLevels = Math.max(LEAST_LEVELS, Math.floor(width / (LEVEL_WIDTH * COMFORTABLE_SCALE)));
  openAtFirst(Math.floor(height / ((TALLEST_BOX + AROUND_BOX) * COMFORTABLE_SCALE)), nLevels);
  arrange();
  leastScale = COMFORTABLE_SCALE;
}
fitAll(leastScale);
redraw();
