// Classes with their shares, and what is predicted.

function swatch(code) {
  const mark = make("span", { class: "swatch", "aria-hidden": "true" });
  mark.style.background = colorOf(code);
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
    length.style.background = colorOf(code);
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

function predicts(saying, id) {
  const answer = make("strong", { id }, make("bdi", {}, saying));
  return make("p", { class: "prediction" }, `${visible(model.target)} = `, answer);
}
