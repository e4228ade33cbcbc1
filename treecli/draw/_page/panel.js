// Beside the tree: what is known of a node, and where a row ends.

const nodePanel = document.getElementById("node");
const answerPanel = document.getElementById("answer");
const tip = document.getElementById("tip");

const MOST_CLASSES_IN_A_TIP = 6;
const MOST_ENDS_OPENED = 50;
const MOST_NOTES = 5;
const MOST_FORMULAS = 3;

function facts(pairs) {
  const list = make("dl");
  for (const [name, value] of pairs) list.append(make("dt", {}, name), make("dd", {}, value));
  return list;
}

function numbersOf(node, most) {
  if (isClassification) {
    return node.weight ? shareTable(node.counts, most, cases) : quiet("No training case came here.");
  }
  const pairs = [[model.middle, readable(node.value)], ["cases", cases(node.weight)]];
  if (node.error !== undefined) pairs.push([model.error, readable(node.error)]);
  return facts(pairs);
}

/** Fills the panel with what is known of a node. */
function showNode(node) {
  let kind = node.isLeaf ? "leaf" : "inner node";
  if (node.n_hidden) kind = `cut off here, ${plural(node.n_hidden, "node")} below`;
  const parts = [quiet(`Node ${node.id}, ${kind}, ${casesText(node.weight)}`), predicts(node.saying)];
  if (node.rule) {
    const heading = node.isLeaf ? "Rule" : "Rule of rows that stay here";
    parts.push(make("h3", {}, heading), make("p", { class: "rule", id: "rule" }, node.rule));
  } else if (node.isLeaf) {
    parts.push(quiet("No row can end here, so it has no rule."));
  } else if (!node.n_hidden) {
    parts.push(quiet(`Asks ${model.attributes[node.asks].text}`));
  }
  parts.push(make("h3", {}, "Training cases"), numbersOf(node, Infinity));
  if (node.above) {
    const path = make("ol", { class: "path" });
    for (const step of pathTo(node).slice(1)) {
      path.append(make("li", {}, make("button", { type: "button", "data-go": step.id }, step.text)));
    }
    parts.push(make("h3", {}, "Path"), path);
  }
  nodePanel.replaceChildren(...parts);
}

function showTip(node, x, y) {
  tip.replaceChildren(
    make("p", {}, node.text ?? (model.heading || "all cases")),
    predicts(node.saying),
    numbersOf(node, MOST_CLASSES_IN_A_TIP),
  );
  tip.hidden = false;
  const { width, height } = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - width - 8))}px`;
  tip.style.top = `${Math.max(4, y + 18 + height > innerHeight ? y - height - 12 : y + 18)}px`;
}

function putOut() {
  state.shares = null;
  answerPanel.replaceChildren();
  redraw();
}

const CAUSES = new Map([[MISSING, "is missing"], [UNSEEN, "is a label never seen"]]);
const REASONS = {
  spread: (name) => `${name}: takes all branches, by their shares of the cases`,
  stays: (name) => `${name}: ends here`,
  surrogate: (name, by) => `${name}: ${by} decides in its place`,
};

/** Sends a row down the tree and lights its path. */
function answerRow(row) {
  const result = route(row);
  state.shares = result.shares;
  const [end] = result.ends[0];
  for (const [node] of result.ends.slice(0, MOST_ENDS_OPENED)) openPathTo(node);
  const answer = isClassification ? visible(model.labels[result.label]) : readable(result.value);
  const parts = [predicts(answer, "predicted")];
  if (isClassification) parts.push(shareTable(result.probabilities, Infinity));
  const where = make("p", { class: "quiet" });
  if (result.ends.length === 1) {
    where.append("Ends at ", make("button", { type: "button", "data-go": end.id, id: "end" }, `node ${end.id}`));
    if (end.n_hidden) where.append(`, where this picture does; the model goes on for ${plural(end.n_hidden, "node")}.`);
  } else {
    where.append(`Reaches ${result.ends.length} leaves; what they say is averaged.`);
  }
  parts.push(where);
  for (const [node] of result.ends.slice(0, MOST_FORMULAS)) {
    if (node.formula) parts.push(arithmetic(node.formula, row));
  }
  const notes = make("ul", { class: "notes" });
  for (const { node, reason, by } of result.steps.slice(0, MOST_NOTES)) {
    const cause = `${model.attributes[node.asks].text} ${CAUSES.get(row[node.asks]) ?? "had no such label here"}`;
    notes.append(make("li", {}, REASONS[reason](cause, by === undefined ? "" : model.attributes[by].text)));
  }
  const nMore = result.steps.length - MOST_NOTES;
  if (nMore > 0) notes.append(make("li", {}, `and so on at ${plural(nMore, "further node")}`));
  if (notes.childElementCount) parts.push(notes);
  answerPanel.replaceChildren(...parts);
  arrange();
  reveal(result.ends.length === 1 ? pathTo(end) : [root, ...result.ends.map(([node]) => node)]);
  redraw();
}
