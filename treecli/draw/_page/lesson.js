// The steps of a lesson: one at a time, by keys, buttons, links and swipes; cards move to their new places.

const CARD_TIME = 600;
const SWIPE = 60;

/** A text of the page's language with its placeholders filled. */
function say(key, values = {}) {
  return model.texts[key].replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

/** A number as a trace prints it: three digits, halves away from 0. */
function digitsText(number) {
  if (Math.abs(number) < 1e-12) return "0";
  const scale = 10 ** model.digits;
  const size = Math.floor(Math.abs(number) * scale + 0.5 + 1e-9) / scale;
  return `${number < 0 ? "−" : ""}${size.toFixed(model.digits)}`;
}

/** What a person typed as a number, also with a decimal comma; NaN if it is none. */
function typedNumber(text) {
  const plain = text.trim().replace(",", ".").replace("−", "-");
  return /^[+-]?(\d+\.?\d*|\.\d+)$/.test(plain) ? Number(plain) : NaN;
}

document.documentElement.classList.add("js");
const calm = matchMedia("(prefers-reduced-motion: reduce)");
const sections = [...document.querySelectorAll("main > .step")];
// Steps are shown here, so the browser need not scroll to them, which would take away the focus.
for (const section of sections) section.removeAttribute("id");
const backButton = document.getElementById("back");
const nextButton = document.getElementById("next");
const links = [...document.querySelectorAll("footer a")];
let current = 0;

/** Where the cards of a section are, by row. */
function placesOf(section) {
  const places = new Map();
  for (const card of section.querySelectorAll(".card")) places.set(card.dataset.r, card.getBoundingClientRect());
  return places;
}

/** Moves the cards of a section from where they were before. */
function moveCards(section, before) {
  if (calm.matches || !before.size) return;
  for (const card of section.querySelectorAll(".card")) {
    const from = before.get(card.dataset.r);
    if (!from || !from.width) continue;
    const to = card.getBoundingClientRect();
    const start = `translate(${from.left - to.left}px, ${from.top - to.top}px)`;
    card.animate([{ transform: start }, { transform: "none" }], { duration: CARD_TIME, easing: "ease-in-out" });
  }
}

/** Shows a step. `isMoved`: a person went there, so its heading gets the focus and is read out. */
function showStep(index, isMoved) {
  const before = index === current ? new Map() : placesOf(sections[current]);
  sections.forEach((section, place) => section.classList.toggle("now", place === index));
  current = index;
  backButton.disabled = index === 0;
  nextButton.disabled = index === sections.length - 1;
  links.forEach((link, place) => {
    if (place === index) link.setAttribute("aria-current", "step");
    else link.removeAttribute("aria-current");
  });
  const section = sections[index];
  for (const pane of section.querySelectorAll(".tree-pane")) centerTree(pane);
  if (!isMoved) return;
  scrollTo(0, 0);
  moveCards(section, before);
  section.querySelector("h2").focus({ preventScroll: true });
}

/** Scrolls a wide tree so that its active node is in the middle. */
function centerTree(pane) {
  const node = pane.querySelector(".active > .node") ?? pane.querySelector(".node");
  const [outer, inner] = [pane, node].map((element) => element.getBoundingClientRect());
  pane.scrollLeft += inner.left + inner.width / 2 - outer.left - outer.width / 2;
}

function goTo(index) {
  if (index < 0 || index >= sections.length || index === current) return;
  history.pushState(null, "", `#step=${index + 1}`);
  showStep(index, true);
}

/** The step that the address names; the first if it names none. */
function stepOfAddress() {
  const found = /^#step=(\d+)$/.exec(location.hash);
  return found ? Math.min(Math.max(Number(found[1]), 1), sections.length) - 1 : 0;
}

backButton.addEventListener("click", () => goTo(current - 1));
nextButton.addEventListener("click", () => goTo(current + 1));
for (const kind of ["hashchange", "popstate"]) {
  addEventListener(kind, () => {
    if (stepOfAddress() !== current) showStep(stepOfAddress(), true);
  });
}
document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (event.target.closest("input, select, textarea, [role=slider]")) return;
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  goTo(current + step);
});

let touched = null;
/** Whether something below a touch scrolls sideways itself. */
function scrollsSideways(element) {
  for (let own = element; own && own !== document.body; own = own.parentElement) {
    if (own.scrollWidth > own.clientWidth + 1 && getComputedStyle(own).overflowX === "auto") return true;
  }
  return false;
}
document.addEventListener("touchstart", (event) => {
  const isFree = event.touches.length === 1 && !event.target.closest("input, select, .dot") && !scrollsSideways(event.target);
  touched = isFree ? [event.touches[0].clientX, event.touches[0].clientY] : null;
}, { passive: true });
document.addEventListener("touchend", (event) => {
  if (!touched) return;
  const right = event.changedTouches[0].clientX - touched[0];
  const down = event.changedTouches[0].clientY - touched[1];
  touched = null;
  if (Math.abs(right) >= SWIPE && Math.abs(right) > 2 * Math.abs(down)) goTo(current + (right < 0 ? 1 : -1));
}, { passive: true });

document.addEventListener("mouseover", (event) => lightRule(event.target.closest("ol.paths li")));
document.addEventListener("focusin", (event) => lightRule(event.target.closest("ol.paths li")));

/** Lights the path and the cases of a rule; none if there is no rule. */
function lightRule(rule) {
  const section = sections[current];
  if (!section.classList.contains("rules")) return;
  if (!rule && !document.activeElement?.closest("ol.paths li")) rule = null;
  const path = new Set(rule ? rule.dataset.path.split(" ") : []);
  for (const node of section.querySelectorAll("[data-n]")) node.classList.toggle("lit", path.has(node.dataset.n));
  section.querySelector(".cards")?.classList.toggle("dimming", Boolean(rule));
  for (const group of section.querySelectorAll(".group")) {
    group.classList.toggle("active", rule?.dataset.leaf === group.dataset.node);
  }
}
