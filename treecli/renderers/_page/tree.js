// The nodes: which are open, where they stand, and which a search finds.

const model = JSON.parse(document.getElementById("data").textContent);
const isClassification = model.labels !== null;

const BOX_WIDTH = 184;
const BOX_HEIGHT = 46;
const CAPTION_HEIGHT = 18;
/** What may stand to the right of a box: how many nodes are hidden there. */
const BESIDE = 40;
const LEVEL_WIDTH = BOX_WIDTH + 60;
const LINE_HEIGHT = CAPTION_HEIGHT + BOX_HEIGHT + 14;

const nodes = model.nodes;
const nodeOf = new Map(nodes.map((node) => [node.id, node]));
const root = nodes[0];

for (const node of nodes) {
  node.children = [];
  node.above = node.parent === undefined ? null : nodeOf.get(node.parent);
  node.depth = node.above ? node.above.depth + 1 : 0;
  if (node.above) {
    node.place = node.above.children.length;
    node.above.children.push(node);
  }
  if (isClassification) node.weight = node.counts.reduce((sum, count) => sum + count, 0);
  node.isOpen = false;
  node.isLeaf = node.asks === undefined;
  node.saying = isClassification ? visible(model.labels[node.label]) : readable(node.value);
  // A node that --depth cut off is shown with what it would predict, as in the other formats.
  const isEnd = node.isLeaf || node.n_hidden > 0;
  node.headline = isEnd ? node.saying : `${model.attributes[node.asks].text} ?`;
  const words = [node.text ?? "", isEnd ? node.saying : "", node.isLeaf ? "" : model.attributes[node.asks].name];
  node.searchable = words.join("\n").toLowerCase();
}
for (let index = nodes.length - 1; index >= 0; index--) {
  const node = nodes[index];
  node.size = (node.size ?? 0) + 1;
  if (node.above) node.above.size = (node.above.size ?? 0) + node.size;
}

const deepest = nodes.reduce((depth, node) => Math.max(depth, node.depth), 0);
const heaviest = Math.max(root.weight, Number.MIN_VALUE);

/** Opens the root, then always the heaviest node, as far as there is room for lines and levels. */
function openAtFirst(nLines, nLevels) {
  let line = 1;
  let candidates = [root];
  while (candidates.length) {
    const node = candidates.reduce((best, one) => (one.weight > best.weight ? one : best));
    candidates = candidates.filter((one) => one !== node);
    line += node.children.length - 1;
    if (line > nLines && node !== root) return;
    node.isOpen = true;
    candidates.push(...node.children.filter((child) => child.children.length && child.depth < nLevels - 1));
  }
}

function isShownOpen(node) {
  return node.isOpen && node.children.length > 0;
}

function openPathTo(node) {
  for (let above = node.above; above; above = above.above) above.isOpen = true;
}

function openAll(isOpen) {
  for (const node of nodes) node.isOpen = isOpen;
  if (!isOpen) root.isOpen = true;
}

/** The nodes that are shown, in reading order. */
let shown = [];

/** Gives every node that is shown its place: ends one below the other, all others midway between their branches. */
function arrange() {
  shown = [];
  const pending = [root];
  let line = 0;
  while (pending.length) {
    const node = pending.pop();
    node.order = shown.length;
    shown.push(node);
    node.x = node.depth * LEVEL_WIDTH;
    if (isShownOpen(node)) {
      for (let branch = node.children.length - 1; branch >= 0; branch--) pending.push(node.children[branch]);
    } else {
      node.y = LINE_HEIGHT * line++;
    }
  }
  for (let index = shown.length - 1; index >= 0; index--) {
    const node = shown[index];
    if (isShownOpen(node)) node.y = (node.children[0].y + node.children.at(-1).y) / 2;
  }
}

/** The corners of what some nodes take, with the texts around their boxes. */
function extent(some) {
  const corners = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  for (const { x, y } of some) {
    corners.left = Math.min(corners.left, x);
    corners.top = Math.min(corners.top, y - CAPTION_HEIGHT);
    corners.right = Math.max(corners.right, x + BOX_WIDTH + BESIDE);
    corners.bottom = Math.max(corners.bottom, y + BOX_HEIGHT);
  }
  return corners;
}

/** The nodes that have a text among what leads to them and what they ask or, at an end, predict. */
function nodesWith(text) {
  const wanted = text.toLowerCase();
  return nodes.filter((node) => node.searchable.includes(wanted));
}

/** What leads to a node, from the root on. */
function pathTo(node) {
  const path = [];
  for (let step = node; step; step = step.above) path.push(step);
  return path.reverse();
}
