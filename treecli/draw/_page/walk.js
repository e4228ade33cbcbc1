// A row walks down the tree that is kept, by the same steps that an exported model takes.

let root;
let nodeOf;
const STEP_TIME = 0.45;

function setTree(number) {
  const { nodes } = model.variants[number];
  root = nodes[0];
  nodeOf = new Map(nodes.map((node) => [node.id, node]));
}

/** The form for a row in a section, filled with the new row. */
function buildRowForm(section) {
  const form = section.querySelector(".row-form");
  if (!form || form.childElementCount) return;
  form.append(make("h3", {}, say("row_form")));
  for (const attribute of model.row.fields) {
    const { labels, text } = model.attributes[attribute];
    const id = `value-${section.dataset.variant ?? 0}-${attribute}`;
    let field;
    if (labels) {
      field = make("select", { id, "data-attribute": attribute }, make("option", { value: "" }, say("missing")));
      labels.forEach((label, code) => field.append(make("option", { value: code }, visible(label))));
    } else {
      field = make("input", { id, "data-attribute": attribute, inputmode: "decimal", autocomplete: "off", placeholder: say("missing") });
    }
    field.value = String(model.row.values[attribute]);
    form.append(make("label", { for: id }, make("bdi", {}, text)), field);
  }
  form.append(make("button", { type: "submit", class: "wide" }, say("row_walk")));
}

/** The values of a form: codes or numbers, null where missing; undefined where a number cannot be read. */
function rowOf(form) {
  const row = model.attributes.map(() => null);
  for (const field of form.querySelectorAll("[data-attribute]")) {
    const text = field.value.trim();
    if (text === "" || text === "?") continue;
    const number = field.tagName === "SELECT" ? Number(text) : typedNumber(text);
    if (Number.isNaN(number)) return undefined;
    row[field.dataset.attribute] = number;
  }
  return row;
}

/** Lights the way of a row, and says where it ends. */
function walk(section, row) {
  const { shares, ends, label } = route(row);
  for (const item of section.querySelectorAll("[data-n]")) {
    const isOn = shares.has(Number(item.dataset.n));
    item.classList.toggle("lit", isOn);
    item.classList.remove("walking");
    if (!isOn) continue;
    const depth = depthOf(item);
    const node = item.querySelector(":scope > .node");
    node.style.animationDelay = `${depth * STEP_TIME}s`;
    void node.offsetWidth; // starts the animation again
    item.classList.add("walking");
  }
  const walked = section.querySelector(".walked");
  if (ends.length === 1) walked.textContent = say("row_ends", { label: ends[0][0].text });
  else {
    const parts = ends.map(([node, share]) => `${node.text} ${digitsText(share)}`).join(", ");
    const end = label === undefined ? "" : ` → ${visible(model.labels[label])}`;
    walked.textContent = say("row_spread", { shares: parts }) + end;
  }
}

function depthOf(item) {
  let depth = 0;
  for (let own = item.parentElement.closest("[data-n]"); own; own = own.parentElement.closest("[data-n]")) depth += 1;
  return depth;
}

function walkNewRow(section) {
  walk(section, model.row.values);
}

document.addEventListener("submit", (event) => {
  if (!event.target.matches(".row-form")) return;
  const section = event.target.closest(".step");
  const row = rowOf(event.target);
  if (row === undefined) section.querySelector(".walked").textContent = say("not_a_number");
  else {
    section.classList.remove("asking");
    walk(section, row);
  }
});
