// What a person types or pastes, as the values of a row.

const MISSING_TEXTS = ["", "?"];
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const INFINITE = /^[+-]?inf(inity)?$/i;

/** The value that a text stands for: MISSING, a number, or the code of a label. Throws a text where there is none. */
function valueOf(attribute, text) {
  const { labels, text: name } = model.attributes[attribute];
  if (labels) {
    const code = codeOf(attribute, text);
    if (code !== undefined) return code;
    return MISSING_TEXTS.includes(text.trim()) ? MISSING : UNSEEN;
  }
  const trimmed = text.trim();
  if (MISSING_TEXTS.includes(trimmed)) return MISSING;
  if (INFINITE.test(trimmed)) return trimmed.startsWith("-") ? -Infinity : Infinity;
  if (!NUMBER.test(trimmed)) throw new RangeError(`${name}: '${visible(text)}' is not a number`);
  return Number(trimmed);
}

const codesOf = model.attributes.map(() => null);

/** The code of a label, undefined where the model has not seen it. */
function codeOf(attribute, text) {
  codesOf[attribute] ??= new Map(model.attributes[attribute].labels.map((label, code) => [label, code]));
  const codes = codesOf[attribute];
  return codes.get(text) ?? codes.get(text.trim());
}

/** The cells of a delimited text, line by line; quotes as in RFC 4180. */
function linesOf(text) {
  const delimiter = text.includes("\t") ? "\t" : text.includes(",") ? "," : ";";
  const lines = [];
  let cells = [];
  let cell = "";
  let isQuoted = false;
  for (let place = 0; place < text.length; place++) {
    const sign = text[place];
    if (isQuoted) {
      if (sign !== '"') cell += sign;
      else if (text[place + 1] === '"') cell += text[++place];
      else isQuoted = false;
    } else if (sign === '"' && cell.trim() === "") {
      cell = "";
      isQuoted = true;
    } else if (sign === delimiter) {
      cells.push(cell);
      cell = "";
    } else if (sign === "\n") {
      lines.push([...cells, cell.replace(/\r$/, "")]);
      cells = [];
      cell = "";
    } else {
      cell += sign;
    }
  }
  lines.push([...cells, cell.replace(/\r$/, "")]);
  return lines.filter((line) => line.length > 1 || line[0].trim() !== "");
}

/** The text of each attribute in what was pasted; null where it says nothing. Throws a text where it makes no sense. */
function pasted(text) {
  const trimmed = text.trim();
  if (trimmed.startsWith("{") || trimmed.startsWith("[")) return fromJson(trimmed);
  const lines = linesOf(text.replace(/^\n+/, ""));
  if (!lines.length) throw new RangeError("there is nothing to read");
  const names = new Set(givenAttributes.map((attribute) => attribute.name));
  const header = lines[0].map((cell) => cell.trim());
  if (lines.length > 1 && header.some((cell) => names.has(cell))) {
    return byName(new Map(header.map((name, place) => [name, lines[1][place] ?? ""])));
  }
  const expected = givenAttributes.length;
  const cells = lines[0];
  // A line of the training data has the target, too, mostly as its last cell.
  if (cells.length !== expected && cells.length !== expected + 1) {
    throw new RangeError(
      `${plural(cells.length, "value")}, expected ${expected}, in the order of the columns; or paste the header, too`,
    );
  }
  return cells.slice(0, expected);
}

function fromJson(text) {
  let record;
  try {
    record = JSON.parse(text);
  } catch (error) {
    throw new RangeError(`not readable as JSON: ${error.message}`);
  }
  const textOf = (value) => (value === null ? "" : String(value));
  if (Array.isArray(record) && !(record.length && typeof record[0] === "object" && record[0] !== null)) {
    if (record.length === givenAttributes.length) return record.map(textOf);
    throw new RangeError(`${plural(record.length, "value")}, expected ${givenAttributes.length}`);
  }
  const first = Array.isArray(record) ? record[0] : record;
  return byName(new Map(Object.entries(first).map(([name, value]) => [name, textOf(value)])));
}

function byName(texts) {
  const found = givenAttributes.map(({ name }) => texts.get(name) ?? null);
  if (found.every((text) => text === null)) {
    throw new RangeError("no column of the model is among the names that were pasted");
  }
  return found;
}
