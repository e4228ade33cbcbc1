// The form for a row: fields, and what is pasted. A page has answerRow(row) and putOut().

const rowForm = document.getElementById("row");
const MOST_LABELS_IN_A_LIST = 40;

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

/** Fills the form with a field for each attribute that is asked about; `what` is who asks, with the verb. */
function buildForm(asked, what) {
  const grid = make("div", { class: "fields" });
  for (const attribute of asked) {
    const field = fieldFor(attribute);
    fields.set(attribute, field[0]);
    const name = make("label", { for: field[0].id }, make("bdi", {}, visible(model.attributes[attribute].name)));
    grid.append(name, make("div", {}, ...field));
  }
  const others = givenAttributes.length - asked.length;
  if (!asked.length) grid.append(quiet(`${what} nothing.`));
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

/** Gives the row of the form to answerRow; nothing where a field makes no sense. */
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
  derive(row);
  answerRow(row);
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

rowForm.addEventListener("input", (event) => {
  if (event.target.id === "paste") usePasted(event.target.value);
  else tryRow();
});
rowForm.addEventListener("submit", (event) => {
  event.preventDefault();
  tryRow();
});
rowForm.addEventListener("reset", () => {
  complain("");
  for (const field of fields.values()) field.removeAttribute("aria-invalid");
  putOut();
});
