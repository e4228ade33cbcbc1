// Where a row goes, by the same steps that an exported model takes.

/** In which way a row leaves a node: the ways on with their shares, and why. */
function departure(node, row) {
  if (node.spreads && holding(node.spreads, row)) {
    const ways = node.ways.filter(([, , share]) => share > 0).map(([, child, share]) => [child, share]);
    return { ways, reason: "spread" };
  }
  for (const [test, child] of node.ways) {
    const member = holding(test, row);
    if (!member) continue;
    const reason = child === node.id ? "stays" : member.length > 1 ? "surrogate" : "value";
    return { ways: [[child, 1]], reason, by: member.at(-1)[0] };
  }
  return { ways: [[node.ways.at(-1)[1], 1]], reason: "value" };
}

/** The share of a row that reaches each node, where it ends, what it is told, and the steps that it takes. */
function route(row) {
  const shares = new Map();
  const steps = [];
  const ends = [];
  const pending = [[root, 1]];
  while (pending.length) {
    const [node, share] = pending.pop();
    shares.set(node.id, share);
    if (!node.ways) {
      ends.push([node, share]);
      continue;
    }
    const { ways, reason, by } = departure(node, row);
    if (reason !== "value") steps.push({ node, reason, by });
    if (reason === "stays") {
      ends.push([node, share]);
      continue;
    }
    // Backwards, so that leaves are added up in reading order, as in the model.
    for (let index = ways.length - 1; index >= 0; index--) {
      const [child, part] = ways[index];
      pending.push([nodeOf.get(child), share * part]);
    }
  }
  return { shares, steps, ends, ...verdict(ends, row) };
}

/** What ends say together: the probabilities and the label, or the value. */
function verdict(ends, row) {
  if (!isClassification) {
    const saidBy = (node) => (node.formula ? computed(node.formula.of, row) : node.says[0]);
    return { value: ends.reduce((sum, [node, share]) => sum + share * saidBy(node), 0) };
  }
  const total = ends[0][0].says.map(() => 0);
  for (const [node, share] of ends) {
    for (let outcome = 0; outcome < total.length; outcome++) total[outcome] += share * node.says[outcome];
  }
  if (ends.length === 1) return { probabilities: total, label: ends[0][0].label };
  let merit = total;
  if (model.costs) {
    const cost = (code) => total.reduce((sum, share, other) => sum + share * model.costs[other][code], 0);
    merit = total.map((_, code) => -cost(code));
  }
  return { probabilities: total, label: merit.indexOf(merit.reduce((best, one) => (one > best ? one : best))) };
}

/** The attributes that a row is asked about here, surrogates included. */
function askedAttributes() {
  const asked = new Set();
  for (const node of nodes) {
    for (const attribute of node.formula && node.says ? attributesIn(node.formula.of) : []) asked.add(attribute);
    for (const [test] of node.ways ?? []) {
      for (const member of test) for (const set of member) asked.add(set[0]);
    }
  }
  return inputsOf(asked);
}
