// The curve of an impurity, with a dot that can be dragged.

const curve = document.querySelector(".curve");

function term(share) {
  return share > 0 ? -share * Math.log2(share) : 0;
}

/** The impurity at a place of the curve; as in the program that made the page. */
function curveValue(x) {
  const { kind, rest, weight, at } = model.curve;
  if (kind === "entropy") return term(x) + term(1 - x) + (1 - x) * rest;
  if (kind === "gini") return 1 - x * x - (1 - x) ** 2 * rest;
  if (kind === "error") return 1 - Math.max(x, (1 - x) * rest);
  const squares = rest + weight * (x - at) ** 2;
  return kind === "deviation" ? Math.sqrt(squares / weight) : squares;
}

function setDot(x) {
  const { low, high, top, box } = model.curve;
  const [left, right, above, below] = box;
  const dot = curve.querySelector(".dot");
  const place = left + ((right - left) * (x - low)) / (high - low);
  const height = below - ((below - above) * curveValue(x)) / top;
  dot.setAttribute("cx", place);
  dot.setAttribute("cy", height);
  curve.querySelector(".guide").setAttribute("d", `M${place},${height}V${below}M${place},${height}H${left}`);
  const text = say("curve_value", { x: digitsText(x), y: digitsText(curveValue(x)) });
  curve.parentElement.querySelector(".curve-value").textContent = text;
  dot.setAttribute("aria-valuenow", x);
  dot.setAttribute("aria-valuetext", text);
}

if (curve) {
  const { low, high, at, box } = model.curve;
  const dot = curve.querySelector(".dot");
  for (const [name, value] of Object.entries({ role: "slider", tabindex: 0, "aria-valuemin": low, "aria-valuemax": high })) {
    dot.setAttribute(name, value);
  }
  setDot(at);
  const within = (x) => Math.min(Math.max(x, low), high);
  const drag = (event) => {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(curve.getScreenCTM().inverse());
    setDot(within(low + ((high - low) * (point.x - box[0])) / (box[1] - box[0])));
  };
  dot.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    dot.focus();
    dot.setPointerCapture(event.pointerId);
  });
  dot.addEventListener("pointermove", (event) => {
    if (dot.hasPointerCapture(event.pointerId)) drag(event);
  });
  dot.addEventListener("keydown", (event) => {
    const now = Number(dot.getAttribute("aria-valuenow"));
    const step = (high - low) / 100;
    const next = { ArrowRight: now + step, ArrowUp: now + step, ArrowLeft: now - step, ArrowDown: now - step, Home: low, End: high }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    setDot(within(next));
  });
}
