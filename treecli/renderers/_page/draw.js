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

/** Okabe and Ito's colours (2008), which people who see few colours can tell apart; all further classes are grey. */
const N_COLORS = 7;
const N_SHADES = 24;
/** Cividis (Nuñez et al. 2018), from low to high. */
const CIVIDIS = [[0, 34, 78], [53, 69, 108], [102, 105, 112], [148, 142, 119], [200, 184, 102], [254, 232, 56]];

const view = { x: 0, y: 0, scale: 1 };
const state = { active: root, selected: null, matches: new Set(), shares: null };

/** Classes by how many cases have them, so that the frequent ones have a colour. */
const colorOf = new Map(
  isClassification
    ? model.labels
        .map((_, code) => code)
        .sort((a, b) => root.counts[b] - root.counts[a] || a - b)
        .map((code, rank) => [code, rank < N_COLORS ? `var(--class-${rank})` : "var(--class-other)"])
    : [],
);
const values = isClassification ? [] : nodes.map((node) => node.value);
const lowest = values.reduce((least, value) => Math.min(least, value), Infinity);
const highest = values.reduce((most, value) => Math.max(most, value), -Infinity);

function relative(value) {
  return highest > lowest ? (value - lowest) / (highest - lowest) : 0.5;
}

/** A colour for a share from 0 to 1, without the end of the scale that could not be seen on the page. */
function cividis(share) {
  const [low, high] = document.documentElement.dataset.theme === "dark" ? [0.45, 1] : [0, 0.85];
  const place = (low + share * (high - low)) * (CIVIDIS.length - 1);
  const below = Math.min(Math.floor(place), CIVIDIS.length - 2);
  const next = CIVIDIS[below + 1];
  const mixed = CIVIDIS[below].map((part, index) => Math.round(part + (place - below) * (next[index] - part)));
  return `rgb(${mixed.join(" ")})`;
}

function colorAt(node) {
  if (isClassification) return colorOf.get(node.label);
  return cividis(Math.round(relative(node.value) * N_SHADES) / N_SHADES);
}

const measure = document.createElement("canvas").getContext("2d");
const fitted = new Map();

/** As much of a text as fits into a width, with … where it was cut: at its end, or so that its end stays. */
function fit(text, width, font, keepsEnd) {
  const key = `${width} ${font} ${text}`;
  if (!fitted.has(key)) {
    measure.font = font;
    let kept = text;
    if (measure.measureText(text).width > width) {
      // By code points, or half of an emoji might stay; and of no more signs than could ever fit.
      const signs = text.length > 2 * width ? [...text.slice(0, width), ...text.slice(-width)] : [...text];
      const cut = (n) => {
        const nAtEnd = keepsEnd ? n >> 1 : 0;
        return `${signs.slice(0, n - nAtEnd).join("")}…${signs.slice(signs.length - nAtEnd).join("")}`;
      };
      let low = 0;
      let high = signs.length;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (measure.measureText(cut(middle)).width <= width) low = middle;
        else high = middle - 1;
      }
      kept = cut(low);
    }
    fitted.set(key, kept);
  }
  return fitted.get(key);
}

const FAMILY = getComputedStyle(document.body).fontFamily;
const FONTS = { headline: `600 13px ${FAMILY}`, caption: `11.5px ${FAMILY}`, amount: `11px ${FAMILY}` };

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
      (node.x < right && node.x + BOX_WIDTH + BESIDE > left && node.y < bottom && node.y + BOX_HEIGHT > top);
    const hasEdge =
      above !== null &&
      (isAll ||
        (above.x < right && node.x > left &&
          Math.min(above.y, node.y) < bottom && Math.max(above.y, node.y) + BOX_HEIGHT > top));
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
  const [from, to] = [node.above.y + BOX_HEIGHT / 2, node.y + BOX_HEIGHT / 2];
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
    boxes.get(look).shapes.push(`M${node.x} ${node.y}h${BOX_WIDTH}v${BOX_HEIGHT}h${-BOX_WIDTH}z`);
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
  const isHit = (node) => x >= node.x && x <= node.x + BOX_WIDTH && y >= node.y && y <= node.y + BOX_HEIGHT;
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
    group.append(draw("rect", { class: "far", width: BOX_WIDTH, height: BOX_HEIGHT, fill: color, stroke: color }));
    return group;
  }
  group.append(
    draw("rect", { class: "box", width: BOX_WIDTH, height: BOX_HEIGHT, rx: 7 }),
    draw("rect", { class: "tint", width: BOX_WIDTH, height: BOX_HEIGHT, rx: 7, fill: color }),
    draw("rect", { x: 0.75, y: 8, width: 4.5, height: BOX_HEIGHT - 16, rx: 2, fill: color }),
  );
  const caption = node.text ?? model.heading;
  if (caption) group.append(text("caption", caption, 2, -6, LEVEL_WIDTH - 16));
  const amount = cases(node.weight);
  measure.font = FONTS.amount;
  const room = BOX_WIDTH - 32 - measure.measureText(amount).width;
  const headline = text("headline", node.headline, 13, 19, room);
  group.append(headline, draw("text", { class: "amount", x: BOX_WIDTH - 10, y: 19, "text-anchor": "end" }, amount));
  group.append(bar(node));
  if (node.n_hidden) group.append(draw("text", { class: "amount", x: BOX_WIDTH + 6, y: 28 }, `… ${node.n_hidden}`));
  if (node.children.length) group.append(toggle(node));
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
    group.append(draw("rect", { x: begin.toFixed(2), y, width: length.toFixed(2), height, fill: colorOf.get(code) }));
    begin += length;
  });
  return group;
}

function toggle(node) {
  const words = node.isOpen ? "−" : `+${node.size - 1}`;
  const width = node.isOpen ? 18 : 12 + 7 * words.length;
  return draw(
    "g",
    { class: "toggle", transform: `translate(${BOX_WIDTH - 2} ${BOX_HEIGHT / 2})` },
    draw("rect", { x: 0, y: -9, width, height: 18, rx: 9 }),
    draw("text", { x: width / 2, y: 4, "text-anchor": "middle" }, words),
  );
}
