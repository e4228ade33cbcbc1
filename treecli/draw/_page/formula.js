// Numbers computed from a row: derived columns, and what formulas predict.

/** The attributes that a row has; derived columns follow them. */
const givenAttributes = model.attributes.filter(({ formula }) => formula === undefined);

/**
 * The value of an expression for a row, NaN where it is missing: a number, ["value", attribute, instead],
 * ["holds", set, instead], ["sum", ...terms] or ["product", ...factors]; from left to right, as in the model.
 */
function computed(expression, row) {
  if (typeof expression === "number") return expression;
  const [kind, ...parts] = expression;
  if (kind === "sum") return parts.map((part) => computed(part, row)).reduce((sum, term) => sum + term);
  if (kind === "product") return parts.map((part) => computed(part, row)).reduce((product, factor) => product * factor);
  const [what, instead] = parts;
  const attribute = kind === "value" ? what : what[0];
  const value = row[attribute];
  const isUnseen = value === UNSEEN && model.attributes[attribute].labels !== undefined;
  if (value === MISSING || isUnseen) return instead ?? NaN;
  return kind === "value" ? value : Number(isIn(what, row));
}

/** The attributes that an expression reads. */
function attributesIn(expression) {
  if (typeof expression === "number") return [];
  const [kind, ...parts] = expression;
  if (kind === "value") return [parts[0]];
  return kind === "holds" ? [parts[0][0]] : parts.flatMap(attributesIn);
}

/** The attributes that columns are computed from, sorted; an attribute is its own. */
function inputsOf(columns) {
  const inputs = [...columns].flatMap((column) => {
    const { formula } = model.attributes[column];
    return formula === undefined ? [column] : attributesIn(formula);
  });
  return [...new Set(inputs)].sort((a, b) => a - b);
}

/** Sets the derived columns of a row. */
function derive(row) {
  model.attributes.forEach(({ formula }, column) => {
    if (formula === undefined) return;
    const value = computed(formula, row);
    row[column] = Number.isNaN(value) ? MISSING : value;
  });
}

/** What a node or a rule predicts for a row of a numeric target. */
function numberFor({ formula, value }, row) {
  return formula ? computed(formula.of, row) : value;
}

/** A formula with the values of a row in place of the names, or nothing if there are no terms to show. */
function arithmetic({ text, terms, of }, row) {
  if (!terms) return quiet(text);
  let sum = "";
  for (const [factor, input] of terms) {
    const value = input === null ? null : computed(input, row);
    const sign = factor < 0 && input !== null ? "-" : "+";
    const before = sum ? ` ${sign} ` : sign.replace("+", "");
    const shown = value < 0 ? `(${readable(value)})` : readable(value);
    sum += before + (input === null ? readable(factor) : `${readable(Math.abs(factor))} * ${shown}`);
  }
  const lines = [`${visible(model.target)} = ${text}`, make("br"), `= ${sum} = ${readable(computed(of, row))}`];
  return make("p", { class: "rule", id: "arithmetic" }, ...lines);
}
