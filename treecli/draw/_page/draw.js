// The drawing: only what is within the window is drawn, and from afar only boxes.

const canvas = document.getElementById("tree");
const viewGroup = document.getElementById("view");
const edgeGroup = document.getElementById("edges");
const legend = document.getElementById("legend");
const nodeGroup = document.getElementById("nodes");

const LEAST_SCALE = 0.002;
const LARGEST_SCALE = 3;
const READABLE_SCALE = 0.4;
const COMFORTABLE_SCALE = 0.65;
const LARGEST_FIT = 1.15;
const WIDEST_EDGE = 14;
const MARGIN = 24;

const N_SHADES = 24;

const view = { x: 0, y: 0, scale: 1 };
const state = { active: root, selected: null, matches: new Set(), shares: null };

const values = isClassification ? [] : nodes.map((node) => node.value);
const lowest = values.reduce((least, value) => Math.min(least, value), Infinity);
const highest = values.reduce((most, value) => Math.max(most, value), -Infinity);

function relative(value) {
  return highest > lowest ? (value - lowest) / (highest - lowest) : 0.5;
}

function colorAt(node) {
  if (isClassification) return colorOf(node.label);
  return scaleColor(Math.round(relative(node.value) * N_SHADES) / N_SHADES);
}

/** What is drawn now, by the node's number. */
const drawn = new Map();
let isDetailed = true;

/** Draws anew: after nodes were opened, chosen, found or lit. */
function redraw(isAll = false) {
  drawn.clear();
  edgeGroup.replaceChildren();
  nodeGroup.replaceChildren();
  canvas.classList.toggle("lit", state.shares !== null);
  drawView(isAll);
}

/** Draws what has come into the window and removes what has left it. */
function drawView(isAll = false) {
  viewGroup.setAttribute("transform", `translate(${view.x} ${view.y}) scale(${view.scale})`);
  const isNowDetailed = isAll || view.scale >= READABLE_SCALE;
  if (isNowDetailed !== isDetailed) {
    isDetailed = isNowDetailed;
    redraw(isAll);
    return;
  }
  if (!isDetailed) {
    if (!nodeGroup.childElementCount) drawFromAfar();
    return;
  }
  const { width, height } = canvas.getBoundingClientRect();
  const left = -view.x / view.scale;
  const top = -view.y / view.scale;
  const right = left + width / view.scale;
  const bottom = top + height / view.scale + CAPTION_HEIGHT;
  for (const node of shown) {
    const { above } = node;
    const isNear =
      isAll || node === state.active ||
      (node.x < right && node.x + BOX_WIDTH + BESIDE > left && node.y < bottom && node.y + node.height > top);
    const hasEdge =
      above !== null &&
      (isAll ||
        (above.x < right && node.x > left &&
          Math.min(above.y, node.y) < bottom && Math.max(above.y, node.y) + TALLEST_BOX > top));
    const own = drawn.get(node.id) ?? {};
    if (hasEdge !== (own.edge !== undefined)) {
      if (hasEdge) edgeGroup.append((own.edge = edgeTo(node)));
      else (own.edge.remove(), delete own.edge);
    }
    if (isNear !== (own.box !== undefined)) {
      if (isNear) nodeGroup.append((own.box = boxOf(node)));
      else (own.box.remove(), delete own.box);
    }
    if (own.edge || own.box) drawn.set(node.id, own);
    else drawn.delete(node.id);
  }
  if (drawn.get(state.active.id)?.box) canvas.setAttribute("aria-activedescendant", `node-${state.active.id}`);
}

function shapeOfEdge(node) {
  const start = node.above.x + BOX_WIDTH;
  const [from, to] = [middleOf(node.above), middleOf(node)];
  const middle = (start + node.x) / 2;
  return `M${start} ${from}C${middle} ${from} ${middle} ${to} ${node.x} ${to}`;
}

function edgeTo(node) {
  return draw("path", {
    d: shapeOfEdge(node),
    "stroke-width": Math.max(1.25, (WIDEST_EDGE * node.weight) / heaviest).toFixed(2),
    class: state.shares?.has(node.id) ? "edge on" : "edge",
  });
}

/** All nodes as few shapes, which are moved as a whole: thousands of elements would make that slow. */
function drawFromAfar() {
  const edges = { "edge thin": [], "edge thin on": [] };
  const boxes = new Map();
  for (const node of shown) {
    const isOn = state.shares?.has(node.id) ?? false;
    if (node.above) edges[isOn ? "edge thin on" : "edge thin"].push(shapeOfEdge(node));
    if (node === state.active || node === state.selected) continue;
    const kind = isOn ? "on" : state.matches.has(node) ? "match" : node.isLeaf ? "leaf" : "inner";
    const look = `${kind} ${colorAt(node)}`;
    if (!boxes.has(look)) boxes.set(look, { kind, color: colorAt(node), shapes: [] });
    boxes.get(look).shapes.push(`M${node.x} ${node.y}h${BOX_WIDTH}v${node.height}h${-BOX_WIDTH}z`);
  }
  for (const [look, shapes] of Object.entries(edges)) {
    edgeGroup.append(draw("path", { class: look, d: shapes.join("") }));
  }
  for (const { kind, color, shapes } of boxes.values()) {
    const path = draw("path", { class: "far", d: shapes.join(""), fill: color, stroke: color });
    nodeGroup.append(draw("g", { class: `many ${kind}`, "aria-hidden": "true" }, path));
  }
  for (const node of new Set([state.selected, state.active])) {
    if (node && shown[node.order] === node) nodeGroup.append(boxOf(node));
  }
  canvas.setAttribute("aria-activedescendant", `node-${state.active.id}`);
}

/** The node at a place of the window, which from afar has no element of its own. */
function nodeAt(target, clientX, clientY) {
  const group = target.closest("[data-id]");
  if (group) return nodeOf.get(Number(group.dataset.id));
  if (isDetailed) return null;
  const corner = canvas.getBoundingClientRect();
  const [x, y] = [(clientX - corner.left - view.x) / view.scale, (clientY - corner.top - view.y) / view.scale];
  const isHit = (node) => x >= node.x && x <= node.x + BOX_WIDTH && y >= node.y && y <= node.y + node.height;
  return shown.find(isHit) ?? null;
}

function describe(node) {
  const what = node.isLeaf ? `leaf, ${node.saying}` : `asks ${model.attributes[node.asks].text}`;
  const parts = [node.text ?? "all cases", what, casesText(node.weight)];
  if (state.shares?.has(node.id)) parts.push("on the path of the row");
  return parts.join(", ");
}

function boxOf(node) {
  const classes = ["node", node.isLeaf || node.n_hidden ? "leaf" : "inner"];
  if (node === state.active) classes.push("active");
  if (node === state.selected) classes.push("selected");
  if (state.matches.has(node)) classes.push("match");
  if (state.shares?.has(node.id)) classes.push("on");
  const group = draw("g", {
    id: `node-${node.id}`,
    class: classes.join(" "),
    transform: `translate(${node.x} ${node.y})`,
    role: "treeitem",
    "data-id": node.id,
    "aria-level": node.depth + 1,
    "aria-setsize": node.above ? node.above.children.length : 1,
    "aria-posinset": (node.place ?? 0) + 1,
    "aria-selected": String(node === state.selected),
    "aria-expanded": node.children.length ? String(node.isOpen) : null,
    "aria-label": describe(node),
  });
  const color = colorAt(node);
  if (!isDetailed) {
    group.append(draw("rect", { class: "far", width: BOX_WIDTH, height: node.height, fill: color, stroke: color }));
    return group;
  }
  group.append(
    draw("rect", { class: "box", width: BOX_WIDTH, height: node.height, rx: 7 }),
    draw("rect", { class: "tint", width: BOX_WIDTH, height: node.height, rx: 7, fill: color }),
    draw("rect", { x: 0.75, y: 8, width: 4.5, height: node.height - 16, rx: 2, fill: color }),
  );
  const caption = node.short ?? node.text ?? model.heading;
  if (caption) group.append(text("caption", caption, 2, -6, captionRoom(node)));
  const amount = cases(node.weight);
  measure.font = FONTS.amount;
  const room = BOX_WIDTH - 32 - measure.measureText(amount).width;
  const headline = text("headline", node.headline, 13, 19, room);
  group.append(headline, draw("text", { class: "amount", x: BOX_WIDTH - 10, y: 19, "text-anchor": "end" }, amount));
  group.append(bar(node));
  if (node.boxes) group.append(chart(node));
  if (node.n_hidden) group.append(draw("text", { class: "amount", x: BOX_WIDTH + 6, y: 28 }, `… ${node.n_hidden}`));
  if (node.children.length) group.append(toggle(node));
  return group;
}

/** How long a caption may be: right of a node without open branches the whole line is free. */
function captionRoom(node) {
  const nLevels = isShownOpen(node) ? 1 : deepestShown - node.depth + 1;
  return nLevels * LEVEL_WIDTH - 16;
}

/** What a split does to the cases: the shapes that the other pictures draw. */
function chart(node) {
  const left = 13 + Math.max((BOX_WIDTH - 23 - model.chart.width) / 2, 0);
  const group = draw("g", { class: "chart", transform: `translate(${left} ${SMALL_BOX_HEIGHT})`, "aria-hidden": "true" });
  for (const [x, y, width, height, fill, rx, opacity] of node.boxes) {
    const paint = fill.startsWith("#") ? { fill } : { class: fill };
    group.append(draw("rect", { x, y, width, height, rx: rx || null, "fill-opacity": opacity < 1 ? opacity : null, ...paint }));
  }
  for (const [x, y, words, anchor] of node.words) group.append(draw("text", { x, y, "text-anchor": anchor }, words));
  return group;
}

function text(kind, words, x, y, room) {
  return draw("text", { class: kind, x, y }, fit(words, room, FONTS[kind], kind === "caption"));
}

/** The shares of the classes as lengths; for a numeric target how high the value is among all. */
function bar(node) {
  const [x, y, width, height] = [13, 29, BOX_WIDTH - 23, 8];
  const group = draw("g", { class: "bar" }, draw("rect", { class: "track", x, y, width, height, rx: 2 }));
  if (!isClassification) {
    const length = Math.max(2, width * relative(node.value));
    group.append(draw("rect", { x, y, width: length, height, rx: 2, fill: colorAt(node) }));
    return group;
  }
  let begin = x;
  node.counts.forEach((count, code) => {
    if (!count) return;
    const length = (width * count) / node.weight;
    group.append(draw("rect", { x: begin.toFixed(2), y, width: length.toFixed(2), height, fill: colorOf(code) }));
    begin += length;
  });
  return group;
}

function toggle(node) {
  const words = node.isOpen ? "−" : `+${node.size - 1}`;
  const width = node.isOpen ? 18 : 12 + 7 * words.length;
  return draw(
    "g",
    { class: "toggle", transform: `translate(${BOX_WIDTH - 2} ${node.height / 2})` },
    draw("rect", { x: 0, y: -9, width, height: 18, rx: 9 }),
    draw("text", { x: width / 2, y: 4, "text-anchor": "middle" }, words),
  );
}
