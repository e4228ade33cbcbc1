// The nodes: which are open, where they stand, and which a search finds.

const LEAST_BOX_WIDTH = 184;
const LARGEST_BOX_WIDTH = 300;
/** What a box has besides its headline: margins and the number of cases. */
const BESIDE_HEADLINE = 44;
const SMALL_BOX_HEIGHT = 46;
const CAPTION_HEIGHT = 18;
/** What may stand to the right of a box: how many nodes are hidden there. */
const BESIDE = 40;
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
  node.saying = isClassification ? visible(model.labels[node.label]) : (node.formula?.text ?? readable(node.value));
  if (node.forced) node.saying += " [forced]";
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

/** As wide as the longest headline needs, within bounds. */
function boxWidth() {
  let width = model.chart ? model.chart.width + 24 : LEAST_BOX_WIDTH;
  measure.font = FONTS.headline;
  for (const { headline, weight } of nodes) {
    if (headline.length > LARGEST_BOX_WIDTH) return LARGEST_BOX_WIDTH;
    const amount = 6.5 * cases(weight).length;
    width = Math.max(width, Math.ceil(measure.measureText(headline).width + amount) + BESIDE_HEADLINE);
  }
  return Math.min(Math.max(width, LEAST_BOX_WIDTH), LARGEST_BOX_WIDTH);
}

const BOX_WIDTH = boxWidth();
const LEVEL_WIDTH = BOX_WIDTH + 60;
const AROUND_BOX = CAPTION_HEIGHT + 14;
for (const node of nodes) node.height = SMALL_BOX_HEIGHT + (node.boxes ? model.chart.height + 8 : 0);
const TALLEST_BOX = nodes.reduce((most, node) => Math.max(most, node.height), 0);

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

/** The nodes that are shown, in reading order, and the depth of the deepest of them. */
let shown = [];
let deepestShown = 0;

/** Gives every node that is shown its place: ends one below the other, all others midway between their branches. */
function arrange() {
  shown = [];
  deepestShown = 0;
  const pending = [root];
  let top = 0;
  while (pending.length) {
    const node = pending.pop();
    node.order = shown.length;
    shown.push(node);
    node.x = node.depth * LEVEL_WIDTH;
    deepestShown = Math.max(deepestShown, node.depth);
    if (isShownOpen(node)) {
      for (let branch = node.children.length - 1; branch >= 0; branch--) pending.push(node.children[branch]);
    } else {
      node.y = top;
      top += node.height + AROUND_BOX;
    }
  }
  for (let index = shown.length - 1; index >= 0; index--) {
    const node = shown[index];
    if (isShownOpen(node)) node.y = (middleOf(node.children[0]) + middleOf(node.children.at(-1)) - node.height) / 2;
  }
}

function middleOf(node) {
  return node.y + node.height / 2;
}

/** The corners of what some nodes take, with the texts around their boxes. */
function extent(some) {
  const corners = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  for (const { x, y, height } of some) {
    corners.left = Math.min(corners.left, x);
    corners.top = Math.min(corners.top, y - CAPTION_HEIGHT);
    corners.right = Math.max(corners.right, x + BOX_WIDTH + BESIDE);
    corners.bottom = Math.max(corners.bottom, y + height);
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
