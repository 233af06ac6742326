// The data of the page and what is computed from it: columns of rows, text that is safe to show, filters.

const DATA = JSON.parse(document.getElementById('data').textContent);
const RUN = DATA.run, OUTCOMES = DATA.names.outcomes, VERDICTS = DATA.names.verdicts, FREEDOMS = DATA.names.freedoms;

// The columns of rows; what is missing at the end is empty.
const CASE = {id: 0, op: 1, type: 2, outcome: 3, probes: 4, micros: 5, message: 6, waiver: 7, text: 8, graph: 9};
const PROBE = {name: 0, outcome: 1, message: 2, rule: 3, counts: 4, freedoms: 5, distance: 6, histogram: 7, fraction: 8,
               reasons: 9, evidence: 10, deviations: 11, source: 12};
const EVIDENCE = {verdict: 0, device: 1, leaf: 2, index: 3, golden: 4, goldenBits: 5, actual: 6, actualBits: 7, operands: 8,
                  bound: 9, distance: 10, reason: 11, outfeed: 12};

const numbered = (row, column) => DATA.texts[row[column] || 0];
// "tanh.6 (model.py:41, op_name jit(f)/tanh)": the instructions of a sub-test with their source.
const nameOf = probe => numbered(probe, PROBE.name) + (probe[PROBE.source] ? ` (${numbered(probe, PROBE.source)})` : '');
const listed = (row, column) => row[column] || [];
const outcomeName = number => OUTCOMES[number || 0][0];
const isFailure = number => OUTCOMES[number || 0][1] === 'failure';
const isPass = number => OUTCOMES[number || 0][1] === 'pass';
// From best to worst: what was refused as expected tells least.
const rank = number => outcomeName(number) === 'refused' ? -1 : number || 0;

const outcomeLabel = number =>
    make('span', {'class': 'outcome'}, mark(outcomeName(number)), make('span', {'class': 'name'}, outcomeName(number)));

function seconds(value) {
  if (value >= 90) return `${Math.floor(value / 60)} min ${Math.round(value % 60)} s`;
  if (value >= 1) return `${value.toFixed(1)} s`;
  return value >= 1e-3 ? `${(value * 1e3).toFixed(1)} ms` : `${Math.round(value * 1e6)} µs`;
}
const count = value => value < 1e9 ? value.toLocaleString('en') : value.toExponential(1).replace('+', '');

// What sorting and filtering ask again and again.
const FACTS = DATA.cases.map(row => {
  let distance = 0, freedoms = 0;
  for (const probe of listed(row, CASE.probes)) {
    distance = Math.max(distance, probe[PROBE.distance] || 0);
    listed(probe, PROBE.freedoms).forEach((uses, i) => { if (uses > 0) freedoms |= 1 << i; });
  }
  return {distance, freedoms, time: listed(row, CASE.micros).reduce((a, b) => a + b, 0),
          search: `${row[CASE.id]}\n${numbered(row, CASE.message)}`.toLowerCase()};
});
const isBad = row => isFailure(row[CASE.outcome]) && !numbered(row, CASE.waiver);

// The filters; the part of the address after # says the same.
const STATE = {outcomes: new Set(), op: '', type: '', freedom: '', text: '', selected: '', sort: 'outcome', descending: true};

function readAddress() {
  const parts = new URLSearchParams(location.hash.slice(1));
  STATE.outcomes = new Set((parts.get('outcome') || '').split(',').filter(name => Object.hasOwn(SIGNS, name)));
  for (const key of ['op', 'type', 'freedom', 'text']) STATE[key] = parts.get(key) || '';
  STATE.selected = parts.get('case') || '';
}

function writeAddress() {
  const parts = new URLSearchParams();
  if (STATE.outcomes.size) parts.set('outcome', [...STATE.outcomes].join(','));
  for (const key of ['op', 'type', 'freedom', 'text']) if (STATE[key]) parts.set(key, STATE[key]);
  if (STATE.selected) parts.set('case', STATE.selected);
  history.replaceState(null, '', `#${parts}`);
}

// Cases that the target does not support are shown where they are asked for: by their outcome or by a text.
const DID_NOT_RUN = new Set(['not supported', 'not run']);
const hidesUnsupported = () => !STATE.outcomes.size && !STATE.text;

function filteredCases() {
  const op = DATA.texts.indexOf(STATE.op), type = DATA.texts.indexOf(STATE.type), text = STATE.text.toLowerCase();
  const freedom = FREEDOMS.findIndex(each => each[0] === STATE.freedom);
  const chosen = [];
  DATA.cases.forEach((row, i) => {
    if (STATE.outcomes.size && !STATE.outcomes.has(outcomeName(row[CASE.outcome]))) return;
    if (hidesUnsupported() && outcomeName(row[CASE.outcome]) === 'not supported') return;
    if (STATE.op && (row[CASE.op] || 0) !== op) return;
    if (STATE.type && (row[CASE.type] || 0) !== type) return;
    if (STATE.freedom && !(FACTS[i].freedoms >> freedom & 1)) return;
    if (text && !FACTS[i].search.includes(text)) return;
    chosen.push(i);
  });
  const keys = {outcome: i => rank(DATA.cases[i][CASE.outcome]) + (isBad(DATA.cases[i]) ? 100 : 0), id: i => i,
                distance: i => FACTS[i].distance, time: i => FACTS[i].time};
  const key = keys[STATE.sort], sign = STATE.descending ? -1 : 1;
  return chosen.sort((a, b) => sign * (key(a) - key(b)) || a - b);
}
