// Picks at nodes: told right or wrong; another pick grows another tree, which can be kept. Measures can be switched.

const firstSections = [...sections];
let keptVariant = 0;

document.addEventListener("click", (event) => {
  const measure = event.target.closest("[data-criterion]");
  if (measure) switchMeasure(measure);
  const pick = event.target.closest(".pick");
  if (pick) picked(pick);
  const keep = event.target.closest(".keep");
  if (keep) keepTree(Number(keep.dataset.variant), keep.closest(".picking"));
  const first = event.target.closest(".first");
  if (first) keepTree(0, first.closest(".picking"));
});

/** Shows the candidates of the root by another measure. */
function switchMeasure(button) {
  const section = button.closest(".step");
  for (const other of section.querySelectorAll("[data-criterion]")) other.setAttribute("aria-pressed", String(other === button));
  const { bars } = model.criteria[button.dataset.criterion];
  const lines = [...section.querySelectorAll(".bars tr")];
  for (const [attribute, text, share, state] of bars) {
    const line = lines.find((own) => own.dataset.attribute === attribute);
    if (!line) continue;
    line.className = state;
    line.querySelector(".fill").setAttribute("width", 100 * share);
    line.querySelector(".number").textContent = text;
    line.parentElement.append(line); // the longest bar is first
  }
}

/** Tells whether a pick is the best one, and what tree another one grows. */
function picked(button) {
  const picking = button.closest(".picking");
  const section = button.closest(".step");
  const { pick } = button.dataset;
  const { right, node, title } = picking.dataset;
  const lines = [...picking.querySelectorAll(".bars tr")];
  const own = lines.find((line) => line.dataset.attribute === pick);
  const best = lines.find((line) => line.classList.contains("chosen"));
  const valueOf = (line) => line.querySelector(".number").textContent;
  const isTied = own.classList.contains("tied");
  const isRight = own === best || isTied;
  for (const other of picking.querySelectorAll(".pick")) other.setAttribute("aria-pressed", String(other === button));
  const chosen = best.querySelector(".pick").textContent;
  const told = picking.querySelector(".told");
  if (own === best) tell(told, say("right_pick", { chosen }), true);
  else if (isTied) tell(told, say("tied_pick", { chosen }), true);
  else tell(told, say("other_pick", { chosen, value: valueOf(best), own: valueOf(own) }), false);
  if (model.quiz) remember(questionOf(picking), { question: title, given: button.textContent, right: chosen, isRight });
  section.classList.remove("asking");
  const kept = Number(section.dataset.variant ?? 0);
  const grown = (kept ? model.further[kept - 1] : model.picks)[node] ?? [];
  const other = pick === right ? null : grown.find(([name]) => name === pick);
  showOtherTree(picking, section, other, node);
}

/** Shows the tree of another pick, or with none the split of the first tree. */
function showOtherTree(picking, section, other, node) {
  const grown = picking.querySelector(".grown");
  const keep = picking.querySelector(".keep");
  const isShown = Number.isInteger(other?.[2]);
  const pane = section.querySelector(".tree-pane");
  section.firstTree ??= pane.firstElementChild.cloneNode(true);
  grown.textContent = other ? other[1] : "";
  keep.hidden = !isShown;
  picking.querySelector(".first").hidden = keptVariant === 0;
  if (!other) {
    pane.replaceChildren(section.firstTree.cloneNode(true));
    pane.querySelector(`[data-n="${node}"]`)?.classList.remove("closed");
    return;
  }
  if (!isShown) {
    grown.textContent += ` ${say(other[2] ?? "too_deep")}`;
    pane.replaceChildren(section.firstTree.cloneNode(true));
    return;
  }
  keep.dataset.variant = other[2];
  pane.replaceChildren(wholeTree(other[2]));
}

/** A copy of the whole tree of a variant. */
function wholeTree(number) {
  return document.importNode(document.getElementById(`variant-${number}`).content.firstElementChild, true);
}

/** Puts a variant's tree where a step has only the numbers of its nodes that are split. */
function plantTree(place, number) {
  const tree = wholeTree(number);
  const numbers = (text) => new Set((text ?? "").split(" "));
  const grown = numbers(place.dataset.grown);
  const lit = numbers(place.dataset.lit);
  for (const item of tree.querySelectorAll("[data-n]")) {
    const isInner = item.querySelector(":scope > ul") !== null;
    item.classList.toggle("closed", isInner && !grown.has(item.dataset.n));
    item.classList.toggle("active", item.dataset.n === place.dataset.active);
    item.classList.toggle("lit", lit.has(item.dataset.n));
  }
  place.replaceWith(tree);
}

/** Puts a variant's tree into the steps after its pick; 0 is the first tree. */
function keepTree(number, picking) {
  keptVariant = number;
  const { after } = model.variants[number];
  const own = number ? [...document.getElementById(`variant-${number}`).content.children] : [];
  sections.forEach((section, place) => {
    const first = firstSections[place];
    const found = place + 1 > after ? own.find((each) => Number(each.dataset.step) === place + 1) : null;
    let next = first;
    if (found) {
      next = document.importNode(found, true);
      next.dataset.variant = number;
      for (const group of next.querySelectorAll("[data-rows]")) dealCards(group);
      for (const tree of next.querySelectorAll("[data-grown]")) plantTree(tree, number);
    }
    if (next === section) return;
    section.replaceWith(next);
    sections[place] = next;
    next.classList.toggle("now", place === current);
    prepare(next);
  });
  setTree(number);
  for (const first of document.querySelectorAll(".first")) first.hidden = number === 0;
  if (picking) tell(picking.querySelector(".told"), number ? say("tree_kept") : "", null);
  if (!number && picking) picking.querySelector(".pick[aria-pressed=true]")?.setAttribute("aria-pressed", "false");
  drawScore();
}

/** Copies the cards of a group's rows into it. */
function dealCards(group) {
  const deck = group.querySelector(".deck");
  for (const part of group.dataset.rows.split(" ").filter(Boolean)) {
    const [row, weight] = part.split(":");
    const card = firstSections.map((section) => section.querySelector(`.card[data-r="${row}"]`)).find(Boolean);
    if (!card) continue;
    const copy = card.cloneNode(true);
    copy.querySelector(":scope > i")?.remove();
    if (Number(weight) !== 1) copy.querySelector(":scope > bdi").after(make("i", {}, `×${Number(weight).toPrecision(3).replace(/\.?0+$/, "")}`));
    deck.append(copy);
  }
}
