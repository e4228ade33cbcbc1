// The rules as a table: sorted, searched, and marked by what a row satisfies.

const body = document.getElementById("body");
const query = document.getElementById("query");
const found = document.getElementById("found");
const order = document.getElementById("order");
const more = document.getElementById("more");
const rulePanel = document.getElementById("rule-panel");
const answerPanel = document.getElementById("answer");

/** Rows of the table that are made at first, and with each press of the button. */
const AT_ONCE = 300;

const rules = model.rules;
const everyone = [...rules, model.default];
everyone.forEach((rule, place) => {
  rule.place = place;
  rule.isDefault = place === rules.length;
  rule.saying = isClassification ? visible(model.labels[rule.label]) : (rule.formula?.text ?? readable(rule.value));
  rule.searchable = [...rule.conditions, rule.saying].join("\n").toLowerCase();
});

const known = (value) => value !== null && value !== undefined;
const asShare = (value) => value.toFixed(2);

/** Columns: the name, what a rule has there, how it is written, and whether the greatest comes first. */
const COLUMNS = [
  { id: "place", name: "#", of: (rule) => rule.place, write: (value) => String(value + 1) },
  { id: "if", name: "IF", of: (rule) => rule.conditions.length, title: "by the number of conditions" },
  { id: "then", name: "THEN", of: (rule) => (isClassification ? rule.label : rule.value) },
  { id: "covered", name: "covered", write: readable, isGreatestFirst: true },
  { id: "correct", name: "correct", write: readable, isGreatestFirst: true },
  { id: "confidence", name: "confidence", write: asShare, isGreatestFirst: true },
  { id: "lift", name: "lift", write: asShare, isGreatestFirst: true },
  { id: "error", name: model.error, write: readable },
].map((column) => ({ of: (rule) => rule[column.id], ...column }))
  .filter(({ id, of }) => ["place", "if", "then"].includes(id) || everyone.some((rule) => known(of(rule))));

const state = { column: COLUMNS[0], isDown: false, nShown: AT_ONCE, holds: null, row: null, fires: null, selected: null };

/** The rules that the search finds, in the order that was chosen; what nobody knows comes last. */
function chosen() {
  const words = query.value.toLowerCase().split(/\s+/).filter(Boolean);
  const matching = rules.filter((rule) => words.every((word) => rule.searchable.includes(word)));
  const { of } = state.column;
  const sign = state.isDown ? -1 : 1;
  return matching.sort((one, two) => {
    const [a, b] = [of(one), of(two)];
    if (!known(a) || !known(b)) return known(b) - known(a) || one.place - two.place;
    return sign * (a - b) || one.place - two.place;
  });
}

function conditionList(rule) {
  if (!rule.conditions.length) return make("span", { class: "quiet" }, rule.isDefault ? "where no rule holds" : "TRUE");
  const list = make("ul", { class: "conditions" });
  rule.conditions.forEach((words, place) => {
    const verdict = state.row && rule.sets ? (isIn(rule.sets[place], state.row) ? "yes" : "no") : null;
    list.append(make("li", { "data-and": " AND " }, make("bdi", { class: verdict }, words)));
  });
  return list;
}

function cell(rule, { id, name, of, write }) {
  const value = of(rule);
  if (id === "place") {
    const words = rule.isDefault ? "–" : write(value);
    return make("td", {}, make("button", { type: "button", class: "go", "aria-label": `Rule ${words}` }, words));
  }
  if (id === "if") return make("td", { class: "if" }, conditionList(rule));
  if (id === "then") {
    const mark = isClassification ? [swatch(rule.label)] : [];
    return make("td", { class: "then" }, make("span", { class: "label" }, ...mark, make("bdi", {}, rule.saying)));
  }
  const made = make("td", { class: "number", "data-name": name }, known(value) ? write(value) : "");
  if (id === "confidence" && known(value)) {
    const length = make("i");
    length.style.width = `${100 * value}%`;
    made.append(make("span", { class: "meter", "aria-hidden": "true" }, length));
  }
  return made;
}

function rowOf(rule) {
  const classes = [rule.isDefault ? "default" : "rule-row"];
  if (state.fires?.includes(rule)) classes.push("fires");
  else if (state.holds?.has(rule)) classes.push("holds");
  if (state.selected === rule) classes.push("selected");
  const line = make("tr", { id: `rule-${rule.place + 1}`, class: classes.join(" "), "data-place": rule.place });
  line.append(...COLUMNS.map((column) => cell(rule, column)));
  return line;
}

function showTable() {
  const shown = chosen();
  body.classList.toggle("tried", state.row !== null);
  body.replaceChildren(...shown.slice(0, state.nShown).map(rowOf), rowOf(model.default));
  const nHidden = shown.length - state.nShown;
  more.hidden = nHidden <= 0;
  more.textContent = `Show ${Math.min(nHidden, AT_ONCE)} of ${nHidden} more`;
  found.textContent = query.value.trim() ? plural(shown.length, "rule") : "";
  for (const head of document.querySelectorAll("#columns th")) {
    const isOwn = head.dataset.id === state.column.id;
    if (isOwn) head.setAttribute("aria-sort", state.isDown ? "descending" : "ascending");
    else head.removeAttribute("aria-sort");
  }
  order.value = state.column.id;
}

function sortBy(column, isDown) {
  Object.assign(state, { column, isDown });
  showTable();
}

/** Makes sure that a rule is in the table, wherever the search and the order put it. */
function reveal(rule) {
  const place = chosen().indexOf(rule);
  if (place < 0 && !rule.isDefault) query.value = "";
  state.nShown = Math.max(state.nShown, chosen().indexOf(rule) + 1);
  showTable();
  document.getElementById(`rule-${rule.place + 1}`).scrollIntoView({ block: "nearest" });
}

/** Fills the panel with all that is known of a rule. */
function select(rule) {
  state.selected = rule;
  const parts = [make("p", { class: "rule", id: "rule" }, rule.text)];
  if (isClassification && known(rule.counts) && rule.counts.some((count) => count > 0)) {
    parts.push(make("h3", {}, "Cases"), shareTable(rule.counts, Infinity, cases));
  }
  rulePanel.replaceChildren(...parts);
  reveal(rule);
}

/** The prediction of the rules for a row: by the first that holds, or by the votes of all that do. */
function verdict(row) {
  const holding = rules.filter((rule) => rule.sets.every((set) => isIn(set, row)));
  if (!holding.length) return { holding, deciding: [model.default], ...saidBy(model.default, row) };
  if (!model.votes) return { holding, deciding: [holding[0]], ...saidBy(holding[0], row) };
  if (!isClassification) {
    const value = holding.reduce((sum, rule) => sum + numberFor(rule, row), 0) / holding.length;
    return { holding, deciding: holding, value };
  }
  const votes = model.labels.map(() => 0);
  for (const rule of holding) votes[rule.label] += rule.confidence ?? 1;
  const total = votes.reduce((sum, vote) => sum + vote, 0);
  if (!total) return { holding, deciding: [model.default], ...saidBy(model.default, row) };
  const best = votes.indexOf(votes.reduce((most, vote) => Math.max(most, vote)));
  return { holding, deciding: holding, label: best, probabilities: votes.map((vote) => vote / total) };
}

function saidBy(rule, row) {
  return isClassification ? { label: rule.label, probabilities: rule.says } : { value: numberFor(rule, row) };
}

function answerRow(row) {
  const result = verdict(row);
  Object.assign(state, { row, holds: new Set(result.holding), fires: result.deciding });
  const answer = isClassification ? visible(model.labels[result.label]) : readable(result.value);
  const parts = [predicts(answer, "predicted")];
  if (isClassification) parts.push(shareTable(result.probabilities, Infinity));
  const where = make("p", { class: "quiet" });
  const [first] = result.deciding;
  const go = (words) => make("button", { type: "button", id: "end", "data-go": first.place }, words);
  const nOthers = result.holding.length - 1;
  if (first.isDefault) {
    where.append(nOthers < 0 ? "No rule holds: " : "No vote counts: ", go("the default"), " decides.");
  } else {
    where.append(go(`Rule ${first.place + 1}`), model.votes ? " votes" : " fires");
    const verb = model.votes ? "" : nOthers === 1 ? " holds, too, but comes later" : " hold, too, but come later";
    where.append(nOthers ? `${model.votes ? " with" : ";"} ${plural(nOthers, "other rule")}${verb}.` : ".");
  }
  parts.push(where);
  if (first.formula && !model.votes) parts.push(arithmetic(first.formula, row));
  answerPanel.replaceChildren(...parts);
  reveal(first);
}

function putOut() {
  Object.assign(state, { row: null, holds: null, fires: null });
  answerPanel.replaceChildren();
  showTable();
}

function forget() {
  query.value = "";
  state.selected = null;
  rulePanel.replaceChildren(quiet("Choose a rule to see it as text, with its cases."));
  showTable();
}

// What keys, pointers and buttons do.

body.addEventListener("click", (event) => {
  const line = event.target.closest("tr");
  if (line) select(everyone[Number(line.dataset.place)]);
});
answerPanel.addEventListener("click", (event) => {
  const button = event.target.closest("[data-go]");
  if (button) select(everyone[Number(button.dataset.go)]);
});
more.addEventListener("click", () => {
  state.nShown += AT_ONCE;
  showTable();
});
query.addEventListener("input", () => {
  state.nShown = AT_ONCE;
  showTable();
});
document.getElementById("search").addEventListener("submit", (event) => event.preventDefault());
order.addEventListener("change", () => {
  const column = COLUMNS.find(({ id }) => id === order.value);
  sortBy(column, Boolean(column.isGreatestFirst));
});
document.getElementById("side").addEventListener("click", (event) => {
  const isHidden = document.body.classList.toggle("without-panel");
  event.currentTarget.setAttribute("aria-expanded", String(!isHidden));
});
document.addEventListener("keydown", (event) => {
  const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
  if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    query.focus();
    query.select();
  } else if (event.key === "Escape") {
    forget();
  }
});
addEventListener("beforeprint", () => {
  state.nShown = Infinity;
  showTable();
});

// The beginning

for (const column of COLUMNS) {
  const button = make("button", { type: "button", title: column.title ?? null }, column.name);
  button.addEventListener("click", () => {
    const isDown = state.column === column ? !state.isDown : Boolean(column.isGreatestFirst);
    sortBy(column, isDown);
  });
  const isNumber = !["place", "if", "then"].includes(column.id);
  document.getElementById("columns").append(
    make("th", { scope: "col", "data-id": column.id, class: isNumber ? "number" : null }, button),
  );
  const words = { place: "in their order", if: "by length", then: "by prediction" }[column.id] ?? `by ${column.name}`;
  order.append(make("option", { value: column.id }, words));
}
const target = visible(model.target);
document.title = `${target}: rules`;
document.getElementById("title").textContent = `Rules: ${target}`;
const about = [plural(rules.length, "rule"), model.votes ? "all that hold vote" : "the first that holds decides"];
if (model.source) about.push(visible(model.source));
document.getElementById("facts").textContent = `${about.join(" · ")} · ${model.program}`;
const asked = everyone.flatMap(({ sets, formula }) => [
  ...sets.map(([column]) => column),
  ...(formula ? attributesIn(formula.of) : []),
]);
buildForm(inputsOf(asked), "These rules ask");
forget();
