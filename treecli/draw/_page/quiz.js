// Questions: an answer is told right or wrong, the first one counts, and the last step lists them.

const answers = new Map();

/** Remembers the first answer to a question. */
function remember(question, entry) {
  if (!answers.has(question)) answers.set(question, entry);
  drawScore();
}

/** Says whether an answer was right. */
function tell(output, text, isGood) {
  output.textContent = text;
  output.className = `${output.className.replace(/ ?\b(good|bad)\b/g, "")}${isGood === null ? "" : isGood ? " good" : " bad"}`;
}

function drawScore() {
  const section = document.querySelector("main > .score");
  if (!section || !model.quiz) return;
  const entries = [...answers.values()];
  const n = entries.filter((entry) => entry.isRight).length;
  const total = section.querySelector(".score-pane .total");
  total.textContent = entries.length ? say("score", { right: n, n: entries.length }) : say("score_none");
  section.querySelector(".answers").replaceChildren(...entries.map(scoreLine));
  const kept = model.variants[keptVariant];
  section.querySelector(".tree-kept").textContent = say("score_tree", { leaves: kept.leaves, errors: kept.errors });
}

function scoreLine(entry) {
  const { isRight, mistake } = entry;
  const key = isRight ? "score_line_right" : mistake ? "score_line_mistake" : "score_line_wrong";
  return make("li", { class: isRight ? "good" : "bad" }, say(key, entry));
}

/** The names of the mistakes that give a number, joined by "or"; empty if there are none. */
function mistakesOf(number, answer) {
  const near = answer.mistakes.filter(([, value]) => Math.abs(number - value) <= answer.slack);
  return [...new Set(near.map(([key]) => say(`mistake_${key}`)))].join(say("or"));
}

/** Conceals the answers of the questions until they are answered. */
function concealAnswers(section) {
  if (!model.quiz) return;
  for (const quiz of section.querySelectorAll(".quiz, .picking")) {
    const question = questionOf(quiz);
    if (question === "guess" || answers.has(question)) continue;
    (quiz.closest(".prunings > li") ?? section).classList.add("asking");
  }
}

/** A question's name; those of a kept tree have names of their own. */
function questionOf(element) {
  const own = element.dataset.question ?? `pick-${element.dataset.node}`;
  const tree = element.closest(".step").dataset.variant;
  return tree ? `${own} of ${tree}` : own;
}

document.addEventListener("click", (event) => {
  const button = event.target.closest(".quiz [data-value]");
  if (!button) return;
  const quiz = button.closest(".quiz");
  const { value } = button.dataset;
  for (const other of quiz.querySelectorAll("[data-value]")) other.setAttribute("aria-pressed", String(other === button));
  const question = questionOf(quiz);
  const { right, title } = quiz.dataset;
  const wording = (own) => [...quiz.querySelectorAll("[data-value]")].find((each) => each.dataset.value === own)?.textContent ?? own;
  const isRight = value === right;
  const isFirst = !answers.has(question);
  remember(question, { question: title, given: wording(value), right: wording(right), isRight });
  const told = quiz.querySelector(".told");
  if (question === "guess") {
    if (isFirst) markGuess(value);
    const step = document.querySelector("main > .choice")?.dataset.step;
    tell(told, say("noted", { step }), null);
    return;
  }
  tell(told, isRight ? say("right") : say("right_was", { right: wording(right) }), isRight);
  (quiz.closest(".prunings > li") ?? quiz.closest(".step")).classList.remove("asking");
  if (question.startsWith("row")) walkNewRow(quiz.closest(".step"));
});

function markGuess(name) {
  for (const line of document.querySelectorAll("main > .choice .bars tr")) {
    if (line.dataset.attribute === name) line.querySelector(".mark").textContent = `◀ ${say("your_guess")}`;
  }
}

document.addEventListener("submit", (event) => {
  event.preventDefault();
  const form = event.target;
  if (!form.matches(".typed")) return;
  const told = form.querySelector(".told");
  const text = form.querySelector("input").value;
  const number = typedNumber(text);
  if (Number.isNaN(number)) {
    tell(told, say("not_a_number"), null);
    return;
  }
  const isRight = Math.abs(number - model.gain.exact) <= model.gain.slack;
  const mistake = isRight ? "" : mistakesOf(number, model.gain);
  remember("gain", { question: model.gain.name, given: text.trim(), right: model.gain.text, isRight, mistake });
  tell(told, isRight ? say("right") : mistake ? say("mistake", { mistake }) : say("wrong_number"), isRight);
  if (isRight) form.closest(".step").classList.remove("asking");
});

document.addEventListener("click", (event) => {
  const form = event.target.closest(".typed .show")?.form;
  if (!form) return;
  remember("gain", { question: model.gain.name, given: "?", right: model.gain.text, isRight: false });
  tell(form.querySelector(".told"), say("shown", { right: model.gain.text }), null);
  form.closest(".step").classList.remove("asking");
});
