// The panel that shows one case: what was asked, what came back, and why the verdict is what it is.

function bucketName(i) {
  if (i <= 2) return String(i);
  const high = 2 ** (i - 1);
  return i <= 7 ? `${2 ** (i - 2) + 1}–${high}` : i <= 14 ? `≤${high}` : `≤2^${i - 1}`;
}

// The buckets to draw; a longer run of empty ones is a single gap, `null`, so that labels stay readable.
function histogramColumns(counts) {
  const columns = [];
  for (let i = 0; i < counts.length;) {
    let end = i;
    while (end < counts.length && !counts[end]) ++end;
    const gap = end - i > 2;
    columns.push(gap ? null : i);
    i = gap ? end : i + 1;
  }
  return columns;
}

// Elements by distance in ulp, on a scale of logarithms: one bad element of a million still shows.
function histogram(counts) {
  const columns = histogramColumns(counts);
  const width = 46, height = 110, top = 18, wide = Math.max(columns.length, 4) * width;
  const picture = make('svg', {viewBox: `0 0 ${wide} ${height + top + 22}`, width: wide, role: 'img',
                               'aria-label': 'Elements by distance: ' + counts.map((n, i) => n ? `${bucketName(i)} ulp: ${n}` : '')
                                   .filter(Boolean).join('; ')});
  const largest = Math.log2(1 + Math.max(...counts));
  picture.append(make('line', {'class': 'axis', x1: 0, x2: wide, y1: top + height + .5, y2: top + height + .5}));
  columns.forEach((bucket, i) => {
    const n = bucket === null ? 0 : counts[bucket], middle = i * width + width / 2;
    const tall = n ? Math.max(3, height * Math.log2(1 + n) / largest) : 0;
    picture.append(
        make('rect', {x: i * width + 5, y: top + height - tall, width: width - 10, height: tall, rx: 3,
                      fill: colourOf(bucket === 0 ? 'exact' : 'correctly rounded')}),
        make('text', {x: middle, y: top + height + 15, 'text-anchor': 'middle'}, bucket === null ? '…' : bucketName(bucket)));
    if (n) picture.append(make('text', {'class': 'value', x: middle, y: top + height - tall - 5, 'text-anchor': 'middle'}, count(n)));
  });
  return make('div', {'class': 'scroll'}, picture);
}

function evidenceTable(rows) {
  const table = make('table', {'class': 'evidence'},
                     make('caption', {}, `The first ${rows.length === 1 ? 'element' : rows.length + ' elements'} that are wrong or cannot be judged`),
                     make('thead', {}, make('tr', {}, ['element', 'golden', 'actual', 'error', 'bound'].map(name => make('th', {scope: 'col'}, name)))));
  const body = make('tbody');
  for (const row of rows) {
    const place = [`[${listed(row, EVIDENCE.index).join(', ')}]`];
    if (row[EVIDENCE.outfeed]) place.push(`outfeed ${row[EVIDENCE.leaf]}`);
    else if (row[EVIDENCE.leaf]) place.push(`result ${row[EVIDENCE.leaf]}`);
    if (row[EVIDENCE.device]) place.push(`device ${row[EVIDENCE.device]}`);
    const value = (text, bits) => make('td', {}, row[text], row[bits] ? make('small', {}, row[bits]) : null);
    body.append(make('tr', {}, make('td', {}, place[0], place.slice(1).map(each => make('small', {}, each))),
                     value(EVIDENCE.golden, EVIDENCE.goldenBits), value(EVIDENCE.actual, EVIDENCE.actualBits),
                     make('td', {}, row[EVIDENCE.distance] ?? '–'), make('td', {}, row[EVIDENCE.bound] ?? '–')));
    const more = [];
    const operands = listed(row, EVIDENCE.operands);
    if (operands.length) more.push(make('span', {'class': 'mono'}, `of ${operands.join(' and ')}`));
    if (row[EVIDENCE.reason]) more.push(make('span', {}, `${operands.length ? ' — ' : ''}${VERDICTS[row[EVIDENCE.verdict] || 0]}: ${numbered(row, EVIDENCE.reason)}`));
    body.append(make('tr', {'class': 'more'}, make('td', {colspan: 5}, more)));
  }
  table.append(body);
  return make('div', {'class': 'scroll'}, table);
}

function definitions(pairs) {
  return make('dl', {}, pairs.filter(pair => pair && pair[1]).map(([term, value]) => [make('dt', {}, term), make('dd', {}, value)]));
}

function probeBody(probe) {
  const counts = listed(probe, PROBE.counts), freedoms = listed(probe, PROBE.freedoms);
  const parts = [];
  if (numbered(probe, PROBE.message)) parts.push(make('p', {'class': 'lead'}, numbered(probe, PROBE.message)));
  parts.push(definitions([
    ['Elements', counts.map((n, i) => n ? `${count(n)} ${VERDICTS[i]}` : '').filter(Boolean).join(', ')],
    ['Rule', numbered(probe, PROBE.rule)],
    ['Largest distance', counts.length ? `${count(probe[PROBE.distance] || 0)} ulp` : ''],
    ['Largest share of its bound', probe[PROBE.fraction] ? Number(probe[PROBE.fraction]).toPrecision(3) : ''],
    ['Permitted deviations', freedoms.some(n => n) && freedoms.map((n, i) => n ? make('div', {}, `${FREEDOMS[i][0]}: ${plural(n, 'element')} (${FREEDOMS[i][1]})`) : null).filter(Boolean)],
    ['Known deviations', listed(probe, PROBE.deviations).map(number => DATA.texts[number]).join('; ')],
    ['Not judgeable because', listed(probe, PROBE.reasons).map(number => DATA.texts[number]).join('; ')],
  ]));
  const distances = listed(probe, PROBE.histogram);
  if (distances.length) parts.push(make('h3', {}, 'Elements by distance in ulp'), histogram(distances));
  const evidence = listed(probe, PROBE.evidence);
  if (evidence.length) parts.push(make('h3', {}, 'Evidence'), evidenceTable(evidence));
  return parts;
}

function probeDetails(probe) {
  const own = nameOf(probe);
  return make('details', {'class': 'probe', open: isFailure(probe[PROBE.outcome])},
              make('summary', {}, outcomeLabel(probe[PROBE.outcome]), make('span', {'class': 'mono'}, own),
                   make('span', {'class': 'quiet'}, `${count(probe[PROBE.distance] || 0)} ulp`)),
              make('div', {}, probeBody(probe)));
}

// A program: what goes wrong first, what each instruction introduces, and what the whole shows of it.
function programBody(probes) {
  const whole = probes.find(probe => !numbered(probe, PROBE.name));
  const first = probes.find(probe => probe !== whole && isFailure(probe[PROBE.outcome]));
  const parts = probes.filter(probe => probe !== whole).sort((a, b) => (b[PROBE.outcome] || 0) - (a[PROBE.outcome] || 0));
  const groups = parts.filter(probe => numbered(probe, PROBE.name).includes('+')).length;
  return [
    first ? make('p', {'class': 'first'}, 'Goes wrong first: ', make('span', {'class': 'mono'}, nameOf(first))) : [],
    make('h3', {}, `Introduced: ${plural(parts.length - groups, 'instruction')}${groups ? ` and ${plural(groups, 'group')}` : ''}, each alone on golden operands`), parts.map(probeDetails),
    whole ? [make('h3', {}, 'Inherited: the whole program'), probeBody(whole)] : [],
  ];
}

// As a shell takes it.
const quoted = id => /^[\w./:=,@%+-]+$/.test(id) ? id : `'${id.replaceAll("'", "'\\''")}'`;

function commandBox(id) {
  const text = DATA.command + quoted(id);
  const button = make('button', {type: 'button', id: 'copy'}, 'Copy');
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = 'Copied';
    } catch {  // not from a file in every browser: select it instead
      getSelection().selectAllChildren(button.previousSibling);
      button.textContent = 'Selected';
    }
  });
  return make('div', {'class': 'command'}, make('pre', {id: 'command'}, text), button);
}

// The graph of a program, over the whole page; Escape closes it.
const GRAPH = {view: null};
function showGraph(row) {
  document.getElementById('graph-title').textContent = shown(row[CASE.id]);
  const data = DATA.graphs[row[CASE.graph] - 1];
  document.getElementById('graph-summary').textContent = shown(data.summary);
  document.getElementById('graph-dialog').showModal();
  GRAPH.view = new GraphView(document.getElementById('graph'), data);
}
function graphButton(row) {
  if (!row[CASE.graph]) return [];
  const button = make('button', {type: 'button', id: 'show-graph'}, 'Show the graph of the program');
  button.addEventListener('click', () => showGraph(row));
  return make('p', {}, button);
}

function showDetail(row) {
  const panel = document.getElementById('detail');
  panel.replaceChildren();
  panel.hidden = !row;
  if (!row) return;
  const probes = listed(row, CASE.probes), micros = listed(row, CASE.micros);
  const close = make('button', {type: 'button', id: 'close', 'aria-label': 'Close'}, 'Close');
  close.addEventListener('click', () => select(''));
  const waiver = numbered(row, CASE.waiver);
  panel.append(
      make('div', {'class': 'head'}, make('h2', {tabindex: -1}, row[CASE.id]), close),
      make('div', {'class': 'lead'}, outcomeLabel(row[CASE.outcome]), make('p', {}, numbered(row, CASE.message))),
      definitions([
        ['Operation', numbered(row, CASE.op)], ['Type', numbered(row, CASE.type)], ['Waived', waiver],
        ['Time', micros.length ? ['target', 'golden', 'judge'].map((name, i) => `${name} ${seconds((micros[i] || 0) / 1e6)}`).join(', ') : ''],
      ]),
      ...[graphButton(row)].flat(),
      ...(probes.length > 1 ? programBody(probes) : probes.length ? probeBody(probes[0]) : []).flat(Infinity),
      make('h3', {}, 'Run it again'), commandBox(row[CASE.id]));
  if (row[CASE.text]) panel.append(make('h3', {}, 'The case'), make('pre', {}, row[CASE.text]));
  panel.scrollTop = 0;
  panel.querySelector('h2').focus({preventScroll: true});
}
