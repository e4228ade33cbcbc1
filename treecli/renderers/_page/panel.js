// Beside the tree: what is known of a node, and a row to try.

const nodePanel = document.getElementById("node");
const answerPanel = document.getElementById("answer");
const rowForm = document.getElementById("row");
const tip = document.getElementById("tip");

const MOST_LABELS_IN_A_LIST = 40;
const MOST_CLASSES_IN_A_TIP = 6;
const MOST_ENDS_OPENED = 50;
const MOST_NOTES = 5;

function swatch(code) {
  const mark = make("span", { class: "swatch", "aria-hidden": "true" });
  mark.style.background = colorOf.get(code);
  return mark;
}

/** Classes with their shares, the greatest first, and their weights if these are put into words. */
function shareTable(amounts, most, wording) {
  const total = amounts.reduce((sum, amount) => sum + amount, 0);
  const codes = amounts.map((_, code) => code).filter((code) => amounts[code] > 0);
  codes.sort((a, b) => amounts[b] - amounts[a] || a - b);
  const table = make("table", { class: "shares" });
  for (const code of codes.slice(0, most)) {
    const share = amounts[code] / total;
    const length = make("i");
    length.style.width = `${100 * share}%`;
    length.style.background = colorOf.get(code);
    table.append(
      make(
        "tr", {},
        make("th", { scope: "row" }, swatch(code), make("bdi", {}, visible(model.labels[code]))),
        ...(wording ? [make("td", { class: "number" }, wording(amounts[code]))] : []),
        make("td", { class: "length", "aria-hidden": "true" }, make("span", {}, length)),
        make("td", { class: "number" }, percent(share)),
      ),
    );
  }
  if (codes.length > most) table.append(make("tr", {}, make("th", { scope: "row" }, `${codes.length - most} more`)));
  return table;
}

function quiet(words) {
  return make("p", { class: "quiet" }, words);
}

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

function predicts(saying, id) {
  const answer = make("strong", { id }, make("bdi", {}, saying));
  return make("p", { class: "prediction" }, `${visible(model.target)} = `, answer);
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

/** The fields of the form: for few labels a list, else a text with suggestions. */
const fields = new Map();

function fieldFor(attribute) {
  const { labels } = model.attributes[attribute];
  const id = `field-${attribute}`;
  if (!labels) return [make("input", { id, inputmode: "decimal", placeholder: "missing" })];
  if (labels.length > MOST_LABELS_IN_A_LIST) {
    const list = make("datalist", { id: `${id}-labels` });
    for (const label of labels) list.append(make("option", { value: label }));
    return [make("input", { id, list: list.id, placeholder: "missing" }), list];
  }
  const select = make("select", { id }, make("option", { value: "" }, "missing"));
  labels.forEach((label, code) => select.append(make("option", { value: code }, visible(label))));
  select.append(make("option", { value: UNSEEN }, "any other label"));
  return [select];
}

function buildForm() {
  const asked = askedAttributes();
  const grid = make("div", { class: "fields" });
  for (const attribute of asked) {
    const field = fieldFor(attribute);
    fields.set(attribute, field[0]);
    const name = make("label", { for: field[0].id }, make("bdi", {}, visible(model.attributes[attribute].name)));
    grid.append(name, make("div", {}, ...field));
  }
  const others = model.attributes.length - asked.length;
  if (!asked.length) grid.append(quiet("This tree asks nothing."));
  else if (others) grid.append(quiet(`${plural(others, "further attribute")} never asked about.`));
  rowForm.append(
    make("label", { class: "block", for: "paste" }, "Paste a row: CSV, tabs or JSON"),
    make("textarea", { id: "paste", rows: 2, spellcheck: "false", "aria-describedby": "trouble" }),
    make("p", { id: "trouble", role: "alert" }),
    grid,
    make("button", { type: "reset" }, "Clear"),
  );
}

function readField(attribute) {
  const field = fields.get(attribute);
  if (field.tagName === "SELECT") return field.value === "" ? MISSING : Number(field.value);
  return valueOf(attribute, field.value);
}

function fillField(attribute, written) {
  const field = fields.get(attribute);
  if (!field) return;
  if (field.tagName !== "SELECT") field.value = written;
  else {
    const value = valueOf(attribute, written);
    field.value = value === MISSING ? "" : String(value);
  }
}

function complain(words) {
  document.getElementById("trouble").textContent = words;
}

/** Sends the row of the form down the tree and lights its path; nothing where a field makes no sense. */
function tryRow() {
  const row = model.attributes.map(() => MISSING);
  complain("");
  for (const [attribute, field] of fields) {
    field.removeAttribute("aria-invalid");
    try {
      row[attribute] = readField(attribute);
      if (row[attribute] === UNSEEN && model.refused.includes(attribute)) {
        throw new RangeError(`${model.attributes[attribute].text}: the model refuses labels that it has not seen`);
      }
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      field.setAttribute("aria-invalid", "true");
      complain(error.message);
      putOut();
      return;
    }
  }
  light(route(row), row);
}

/** Reads what was pasted into the form. */
function usePasted(written) {
  if (!written.trim()) return;
  try {
    pasted(written).forEach((value, attribute) => fillField(attribute, value ?? ""));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    putOut();
    complain(error.message);
    return;
  }
  tryRow();
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

function light(result, row) {
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
