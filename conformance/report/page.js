// The page itself: overview, heat map, the table of which only the rows in view exist.

const $ = id => document.getElementById(id);
const ROW_HEIGHT = 30;
let chosen = [], active = -1;

function select(id) {
  STATE.selected = id;
  writeAddress();
  const row = id ? DATA.cases.find(each => each[CASE.id] === id) : null;
  showDetail(row);
  if (!row) $('table-scroll').focus({preventScroll: true});
}

function change(values) {
  Object.assign(STATE, values);
  writeAddress();
  showFilters();
  showCases();
}

// ---- Overview

// As the terminal says it: 100% and 0% are said only where they are true.
function shareThatRan() {
  const all = DATA.cases.length;
  const ran = DATA.cases.filter(row => !['not run', 'not supported'].includes(outcomeName(row[CASE.outcome] || 0))).length;
  const share = ran === all ? 100 : ran ? Math.min(99.9, Math.max(0.1, 100 * ran / all)) : 0;
  return `${count(ran)} of ${plural(all, 'case')} ran (${share.toFixed(1)}%)`;
}

function showRun() {
  const bad = DATA.cases.filter(isBad).length, waived = DATA.cases.filter(row => numbered(row, CASE.waiver)).length;
  const complaints = RUN.complaints || [];
  $('target').textContent = shown(`Conformance of ${RUN.target_version || RUN.target}`);
  document.title = shown(`${RUN.target_version || RUN.target} · conformance`);
  const facts = [
    RUN.target_version && RUN.target, `profile ${RUN.profile || '–'}`, RUN.tier && `tier ${RUN.tier}`, RUN.filter,
    RUN.shards > 1 && `shard ${RUN.shard} of ${RUN.shards}`, shareThatRan(), seconds(RUN.seconds || 0),
    RUN.started && `${RUN.started.replace('T', ' ')} UTC`, RUN.corpus && `corpus ${RUN.corpus.slice(0, 12)}`,
  ];
  $('facts').textContent = shown(facts.filter(Boolean).join(' · '));
  const fails = bad > 0 || complaints.length > 0 || RUN.interrupted;
  $('result').textContent = (bad ? plural(bad, 'failure') : fails ? 'The run is not valid' : '✓ No failures') + (waived ? ` · ${waived} waived` : '');
  $('result').className = fails ? 'bad' : 'good';
  const notes = RUN.interrupted ? [`Interrupted: ${DATA.cases.length} of ${RUN.selected} cases ran`, ...complaints] : complaints;
  $('complaints').hidden = !notes.length;
  $('complaints').append(...notes.map(note => make('li', {}, note)));
  const differences = RUN.profile_differences || [];
  $('differences').hidden = !differences.length;
  $('differences').firstChild.textContent = `Where the profile differs from its base (${differences.length})`;
  $('differences').lastChild.append(...differences.map(each => make('li', {'class': 'mono'}, each)));
}

function chip(label, title, pressed, toggle) {
  const button = make('button', {type: 'button', 'aria-pressed': 'false', title}, label);
  button.addEventListener('click', toggle);
  button.showPressed = () => button.setAttribute('aria-pressed', String(pressed()));
  return button;
}

function showOverview() {
  const counts = OUTCOMES.map(() => 0);
  DATA.cases.forEach(row => ++counts[row[CASE.outcome] || 0]);
  counts.forEach((n, i) => {
    if (!n) return;
    const name = outcomeName(i), part = make('span', {title: `${name}: ${count(n)}`});
    part.style.cssText = `flex: ${n} 1 0; background: ${colourOf(name)}`;
    $('bar').append(part);
    $('outcomes').append(chip([mark(name), name, make('b', {}, count(n))], null, () => STATE.outcomes.has(name), () => {
      const outcomes = new Set(STATE.outcomes);
      if (!outcomes.delete(name)) outcomes.add(name);
      change({outcomes});
    }));
  });
  $('bar').setAttribute('aria-label', counts.map((n, i) => n ? `${outcomeName(i)}: ${n}` : '').filter(Boolean).join(', '));
  FREEDOMS.forEach(([name, meaning], i) => {
    const uses = FACTS.filter(facts => facts.freedoms >> i & 1).length;
    if (!uses) return;
    if (!$('freedoms').firstChild) $('freedoms').append(make('span', {'class': 'label'}, 'Permitted deviations used'));
    $('freedoms').append(chip([name, make('b', {}, count(uses))], meaning, () => STATE.freedom === name,
                              () => change({freedom: STATE.freedom === name ? '' : name})));
  });
}

function fillSelect(select, all, key) {
  const names = [...new Set(DATA.cases.map(row => numbered(row, CASE[key])))].filter(Boolean).sort();
  select.append(make('option', {value: ''}, all), ...names.map(name => make('option', {value: name}, name)));
  select.addEventListener('change', () => change({[key]: select.value}));
}

function showFilters() {
  for (const button of document.querySelectorAll('.chips button')) button.showPressed();
  for (const key of ['op', 'type', 'text']) if ($(key).value !== STATE[key]) $(key).value = STATE[key];
  for (const cell of $('map').querySelectorAll('.on')) cell.classList.remove('on');
  const find = (op, type) => $('map').querySelector(`[data-op="${CSS.escape(op)}"][data-type="${CSS.escape(type)}"]`);
  if (STATE.op || STATE.type) find(STATE.op, STATE.type)?.classList.add('on');
}

// ---- Heat map

function cellsOfMap() {
  const cells = new Map(), ops = new Map();
  DATA.cases.forEach(row => {
    const op = numbered(row, CASE.op), type = numbered(row, CASE.type), key = `${op}\n${type}`, outcome = row[CASE.outcome] || 0;
    let cell = cells.get(key);
    if (!cell) cells.set(key, cell = {total: 0, worst: outcome, bad: 0, absent: 0});
    if (DID_NOT_RUN.has(outcomeName(outcome))) {
      ++cell.absent;
      return;
    }
    // The colour is that of what ran.
    if (cell.total === 0 || rank(outcome) > rank(cell.worst)) cell.worst = outcome;
    ++cell.total;
    if (!isPass(outcome)) ++cell.bad;
    const sums = ops.get(op) || {bad: 0};
    sums.bad += isFailure(outcome) ? 1000 : isPass(outcome) ? 0 : 1;
    ops.set(op, sums);
  });
  for (const [key, cell] of cells) if (cell.total === 0) cells.delete(key);
  return {cells, ops};
}

function fillCell(td, cell) {
  const name = outcomeName(cell.worst);
  // The part that does not pass fills the cell from below, and never so little that it cannot be seen.
  const share = isPass(cell.worst) ? 100 : Math.max(25, Math.round(100 * cell.bad / cell.total));
  td.style.background = `linear-gradient(to top, ${colourOf(name)} ${share}%, var(--sheet) ${share}%)`;
  td.style.color = share < 60 ? 'var(--ink)' : inkOn(name);
  td.textContent = SIGNS[name];
  td.title = td.dataset.op + ' ' + td.dataset.type + '\n' + (isPass(cell.worst) ? `${plural(cell.total, 'case')}, at worst ${name}`
      : `${cell.bad} of ${plural(cell.total, 'case')} do not pass, at worst ${name}`) +
      (cell.absent ? `\n${plural(cell.absent, 'case')} did not run` : '');
  td.setAttribute('aria-label', td.title);
}

const typeRank = type => {
  const match = /^([a-z]+)(\d*)/.exec(type) || ['', type, ''];
  const order = ['pred', 's', 'u', 'f', 'bf', 'c', 'tuple', 'token'];
  const family = order.indexOf(match[1]);
  return (family < 0 ? 99 : family) * 1000 + Number(match[2] || 0);
};

function showMap() {
  const {cells, ops} = cellsOfMap();
  const present = new Set([...cells.keys()].map(key => key.split('\n')[1]));
  const types = [...present].sort((a, b) => typeRank(a) - typeRank(b) || (a < b ? -1 : 1));
  const ran = new Set([...cells.keys()].map(key => key.split('\n')[0])), absent = [...new Set(DATA.cases.map(row => numbered(row, CASE.op)))].length - ran.size;
  const names = [...ops.keys()].filter(op => ran.has(op)).sort();
  if ($('map-order').value === 'worst') names.sort((a, b) => ops.get(b).bad - ops.get(a).bad || (a < b ? -1 : 1));
  const head = make('tr', {}, make('td'), types.map(type => make('th', {scope: 'col', 'data-op': '', 'data-type': type}, make('span', {}, type || 'no type'))));
  const rows = names.map(op => make('tr', {role: 'row'}, make('th', {scope: 'row', 'data-op': op, 'data-type': '', title: op || 'programs'}, op || 'programs'), types.map(type => {
    const cell = cells.get(`${op}\n${type}`);
    if (!cell) return make('td');
    const td = make('td', {'data-cell': '', 'data-op': op, 'data-type': type, role: 'gridcell', tabindex: -1});
    fillCell(td, cell);
    return td;
  })));
  $('map').replaceChildren(make('thead', {}, head), make('tbody', {}, rows));
  $('map').querySelector('[data-cell]')?.setAttribute('tabindex', 0);
  $('map-legend').textContent = 'A cell shows the worst outcome of its cases; where some do not pass, they fill it from below by their share.' +
      (absent ? ` ${plural(absent, 'operation')} of which no case ran ${absent === 1 ? 'is' : 'are'} not shown.` : '');
  showFilters();
}

function moveInMap(event) {
  const from = event.target.closest('td[data-cell]'), step = {ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0]}[event.key];
  if (!from) return;
  if (event.key === 'Enter' || event.key === ' ') return event.preventDefault(), chooseInMap(from);
  const end = {Home: 0, End: -1}[event.key];
  if (!step && end === undefined) return;
  event.preventDefault();
  if (end !== undefined) return focusInMap(from, [...from.parentNode.querySelectorAll('td[data-cell]')].at(end));
  const rows = $('map').tBodies[0].rows;
  let line = from.parentNode.rowIndex - 1, column = from.cellIndex;
  for (;;) {
    line += step[0];
    column += step[1];
    const next = rows[line]?.cells[column];
    if (!next || next.tagName === 'TH') return;
    if (next.hasAttribute('data-cell')) return focusInMap(from, next);
  }
}

function focusInMap(from, next) {
  from.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
}

function chooseInMap(cell) {
  const {op, type} = cell.dataset, same = STATE.op === op && STATE.type === type;
  change(same ? {op: '', type: ''} : {op, type});
}

// ---- Table

const COLUMNS = [['outcome', 'Outcome', ''], ['id', 'Case', ''], [null, 'Rule or message', 'wide rule'], ['distance', 'Distance (ulp)', 'number'], ['time', 'Time', 'number wide']];

function showTableHead() {
  $('table-head').append(make('div', {'class': 'row', role: 'row'}, COLUMNS.map(([key, label, kind]) => {
    const cell = make('span', {role: 'columnheader', 'class': kind}, key ? make('button', {type: 'button'}, label) : make('span', {'class': 'quiet'}, label));
    if (key) cell.firstChild.addEventListener('click', () => change({sort: key, descending: STATE.sort === key ? !STATE.descending : key !== 'id'}));
    cell.dataset.key = key || '';
    return cell;
  })));
}

function tableRow(position) {
  const i = chosen[position], row = DATA.cases[i], facts = FACTS[i], first = listed(row, CASE.probes).find(probe => (probe[PROBE.outcome] || 0) === (row[CASE.outcome] || 0));
  const why = numbered(row, CASE.message) || first && (numbered(first, PROBE.message) || numbered(first, PROBE.rule)) || '';
  const waiver = numbered(row, CASE.waiver);
  const label = outcomeLabel(row[CASE.outcome]);
  label.setAttribute('role', 'cell');
  label.title = outcomeName(row[CASE.outcome]);
  if (waiver) label.append(make('span', {'class': 'tag', title: waiver}, 'waived'));
  const element = make('div', {'class': position === active ? 'row active' : 'row', role: 'row', id: `row-${position}`, 'aria-rowindex': position + 2, 'data-position': position},
                       label, make('span', {role: 'cell', 'class': 'mono', title: shown(row[CASE.id])}, row[CASE.id]),
                       make('span', {role: 'cell', 'class': 'wide rule quiet', title: shown(why)}, why.split('\n', 1)[0]),
                       make('span', {role: 'cell', 'class': 'number'}, facts.distance ? count(facts.distance) : '–'),
                       make('span', {role: 'cell', 'class': 'number wide quiet'}, facts.time ? seconds(facts.time / 1e6) : '–'));
  element.style.top = `${position * ROW_HEIGHT}px`;
  return element;
}

function showRows(everything = false) {
  const scroll = $('table-scroll'), body = $('table-body');
  const first = everything ? 0 : Math.max(0, Math.floor(scroll.scrollTop / ROW_HEIGHT) - 8);
  const last = everything ? Math.min(chosen.length, 500) : Math.min(chosen.length, first + Math.ceil(scroll.clientHeight / ROW_HEIGHT) + 16);
  const rows = [];
  for (let position = first; position < last; ++position) rows.push(tableRow(position));
  if (!chosen.length) rows.push(make('p', {'class': 'empty'}, 'No case matches.'));
  body.replaceChildren(...rows);
}

function showCases() {
  chosen = filteredCases();
  active = -1;
  $('table').setAttribute('aria-rowcount', chosen.length + 1);
  $('table-body').style.height = `${Math.max(chosen.length, 3) * ROW_HEIGHT}px`;
  const hidden = hidesUnsupported() ? DATA.cases.filter(row => outcomeName(row[CASE.outcome]) === 'not supported').length : 0;
  $('count').textContent = (chosen.length === DATA.cases.length ? count(chosen.length) : `${count(chosen.length)} of ${count(DATA.cases.length)}`) +
      (hidden ? `; ${count(hidden)} not supported ${hidden === 1 ? 'is' : 'are'} hidden` : '');
  for (const cell of $('table-head').firstChild.children) {
    if (cell.dataset.key === STATE.sort) cell.setAttribute('aria-sort', STATE.descending ? 'descending' : 'ascending');
    else cell.removeAttribute('aria-sort');
  }
  $('table-scroll').scrollTop = 0;
  showRows();
}

function moveInTable(event) {
  const page = Math.floor($('table-scroll').clientHeight / ROW_HEIGHT) - 1;
  const steps = {ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity};
  if (event.key === 'Enter' && active >= 0) return select(DATA.cases[chosen[active]][CASE.id]);
  if (!(event.key in steps) || !chosen.length) return;
  event.preventDefault();
  active = Math.min(chosen.length - 1, Math.max(0, active + steps[event.key]));
  const scroll = $('table-scroll'), top = active * ROW_HEIGHT;
  if (top < scroll.scrollTop) scroll.scrollTop = top;
  if (top + ROW_HEIGHT > scroll.scrollTop + scroll.clientHeight) scroll.scrollTop = top + ROW_HEIGHT - scroll.clientHeight;
  scroll.setAttribute('aria-activedescendant', `row-${active}`);
  showRows();
}

// ---- All of it

function listen() {
  let waiting = 0;
  $('text').addEventListener('input', () => { clearTimeout(waiting); waiting = setTimeout(() => change({text: $('text').value}), 80); });
  $('clear').addEventListener('click', () => change({outcomes: new Set(), op: '', type: '', freedom: '', text: ''}));
  $('map-order').addEventListener('change', showMap);
  $('map').addEventListener('click', event => { const cell = event.target.closest('[data-op]'); if (cell) chooseInMap(cell); });
  $('map').addEventListener('keydown', moveInMap);
  $('table-scroll').addEventListener('scroll', () => requestAnimationFrame(() => showRows()));
  $('table-scroll').addEventListener('keydown', moveInTable);
  $('table-body').addEventListener('click', event => {
    const row = event.target.closest('.row');
    if (!row) return;
    active = Number(row.dataset.position);
    showRows();
    select(DATA.cases[chosen[active]][CASE.id]);
  });
  addEventListener('keydown', event => {
    if ($('graph-dialog').open) return GRAPH.view?.key(event);
    if (event.key === 'Escape' && STATE.selected) select('');
    if (event.key === '/' && !/INPUT|SELECT/.test(document.activeElement.tagName)) event.preventDefault(), $('text').focus();
  });
  $('graph-close').addEventListener('click', () => $('graph-dialog').close());
  addEventListener('hashchange', start);
  addEventListener('resize', () => showRows());
  addEventListener('beforeprint', () => showRows(true));
  addEventListener('afterprint', () => showRows());
}

function start() {
  readAddress();
  showFilters();
  showCases();
  showDetail(STATE.selected ? DATA.cases.find(each => each[CASE.id] === STATE.selected) : null);
}

showRun();
showOverview();
fillSelect($('op'), 'All operations', 'op');
fillSelect($('type'), 'All types', 'type');
showTableHead();
showMap();
listen();
start();
document.documentElement.dataset.ready = Math.round(performance.now());
