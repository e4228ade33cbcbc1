// Sheets with other numbers: one at a time, checked blank by blank. Then the page starts.

const sheets = [...document.querySelectorAll(".sheet")];
sheets[0]?.classList.add("now");

document.addEventListener("click", (event) => {
  const button = event.target.closest(".another");
  if (!button) return;
  const next = (Number(button.form.dataset.sheet) + 1) % sheets.length;
  sheets.forEach((sheet, place) => sheet.classList.toggle("now", place === next));
  sheets[next].querySelector("input").focus();
});

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.matches(".blanks")) return;
  const given = model.sheets[Number(form.dataset.sheet)];
  let n = 0;
  for (const input of form.querySelectorAll("[data-blank]")) {
    const answer = given[Number(input.dataset.blank)];
    const told = input.closest("li").querySelector(".told");
    const number = typedNumber(input.value);
    if (Number.isNaN(number)) {
      tell(told, input.value.trim() ? say("not_a_number") : "", null);
      continue;
    }
    const isRight = Math.abs(number - answer.exact) <= answer.slack;
    n += isRight;
    const mistake = isRight ? "" : mistakesOf(number, answer);
    tell(told, isRight ? say("right") : mistake ? say("mistake", { mistake }) : say("right_was", { right: answer.text }), isRight);
  }
  const choice = form.querySelector("select");
  const isRight = choice.value === choice.dataset.best;
  if (choice.value) tell(choice.closest("li").querySelector(".told"), isRight ? say("right") : say("right_was", { right: choice.dataset.best }), isRight);
  n += isRight;
  tell(form.querySelector(".total"), say("sheet_right", { right: n, n: given.length + 1 }), null);
});

/** Makes a section that is put into the page ready for questions. */
function prepare(section) {
  concealAnswers(section);
  buildRowForm(section);
  if (section.classList.contains("row") && !section.classList.contains("asking")) walkNewRow(section);
}

setTree(0);
sections.forEach(prepare);
drawScore();
showStep(stepOfAddress(), false);
