// Draws the graph that the page's data describes: places are computed already.
'use strict';
const DATA = JSON.parse(document.getElementById('data').textContent);
const SVG = 'http://www.w3.org/2000/svg';
const SIGNS = {'known deviation': '≠', 'not run': '–', 'not supported': '–', 'not judgeable': '?', 'wrong': '×', 'failed': '!', 'flaky': '~', 'invalid': '⊘'};
const BAD = new Set(['wrong', 'failed', 'flaky', 'invalid']);
const PALE = new Set(['', 'within bound', 'allowed', 'known deviation', 'not run', 'not supported', 'not judgeable']);
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]/g;
const shown = text => String(text).replace(HIDDEN, c => `\\u{${c.codePointAt(0).toString(16)}}`);
const byId = id => document.getElementById(id);

function html(tag, text, attributes = {}) {
  const element = document.createElement(tag);
  if (text) element.textContent = shown(text);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}
function svg(tag, attributes, text) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text) element.textContent = shown(text);
  return element;
}

const NODES = [];  // of all computations: {data, computation, element, number, section}
const SECTIONS = new Map();
let zoom = 1, current = null;

function describe(node) {
  const panel = byId('details');
  const outcome = node.data.outcome || 'not asked alone';
  const list = html('dl');
  for (const [name, text] of [['outcome', outcome], ...node.data.rows]) list.append(html('dt', name), html('dd', text));
  for (const name of node.data.called) {
    const button = html('button', `open ${name}`);
    button.addEventListener('click', () => openComputation(name));
    list.append(button);
  }
  panel.replaceChildren(html('h2', node.data.name), list);
  for (const path of document.querySelectorAll('path.on')) path.classList.remove('on');
  for (const [from, to, , path] of node.section.data.edges) {
    if (from === node.number || to === node.number) path.classList.add('on');
  }
}

function select(node, scroll) {
  if (current) { current.element.setAttribute('tabindex', '-1'); current.element.classList.remove('on'); }
  current = node;
  node.section.element.open = true;
  draw(node.section);
  node.element.setAttribute('tabindex', '0');
  node.element.classList.add('on');
  describe(node);
  if (!scroll) return;
  const [x, y, width, height] = node.data.box, view = node.section.view;
  node.section.element.scrollIntoView({block: 'nearest'});
  view.scrollLeft = (x + width / 2) * zoom - view.clientWidth / 2;
  view.scrollTop = (y + height / 2) * zoom - view.clientHeight / 2;
  node.element.focus({preventScroll: true});
}

function openComputation(name) {
  const section = SECTIONS.get(name);
  if (!section) return;
  section.element.open = true;
  draw(section);
  const bad = section.nodes.find(node => BAD.has(node.data.outcome));
  select(bad || section.nodes[section.nodes.length - 1], true);
}

function drawNode(node) {
  const {data} = node, [x, y, width, height] = data.box, [first, second] = data.label;
  const group = svg('g', {'class': `node${data.name === node.section.data.root ? ' root' : ''}${BAD.has(data.outcome) ? ' wrong' : ''}`,
                          'transform': `translate(${x},${y})`, 'tabindex': '-1', 'role': 'button',
                          'aria-label': `${data.name}, ${second}, ${data.outcome || 'not asked alone'}`});
  const rect = svg('rect', {width, height, rx: 6});
  if (data.outcome) rect.style.fill = `var(--o-${data.outcome.replaceAll(' ', '-')})`;
  const texts = [svg('text', {x: 10, y: 17}, `${SIGNS[data.outcome] ? SIGNS[data.outcome] + ' ' : ''}${first}`),
                 svg('text', {x: 10, y: 31, 'class': 'second'}, second)];
  if (data.outcome && data.outcome !== 'not run' && data.outcome !== 'not supported') {
    for (const text of texts) text.style.fill = PALE.has(data.outcome) ? '#1b1f27' : '#ffffff';
  }
  group.append(rect, ...texts);
  group.addEventListener('pointerenter', () => describe(node));
  group.addEventListener('click', () => select(node, false));
  node.element = group;
  return group;
}

function draw(section) {
  if (section.drawn) return;
  section.drawn = true;
  const [width, height] = section.data.size;
  section.svg = svg('svg', {viewBox: `0 0 ${width} ${height}`, width: width * zoom, height: height * zoom});
  for (const edge of section.data.edges) {
    edge.push(svg('path', {d: edge[2]}));
    section.svg.append(edge[3]);
  }
  for (const node of section.nodes) section.svg.append(drawNode(node));
  section.view.append(section.svg);
}

function resize(factor) {
  const view = current && current.section.view;
  zoom = factor === 0 ? fitting() : Math.min(3, Math.max(.05, zoom * factor));
  for (const section of SECTIONS.values()) {
    if (!section.drawn) continue;
    section.svg.setAttribute('width', section.data.size[0] * zoom);
    section.svg.setAttribute('height', section.data.size[1] * zoom);
  }
  if (view) select(current, true);
}
function fitting() {
  const section = current ? current.section : SECTIONS.values().next().value;
  const [width, height] = section.data.size;
  return Math.max(.05, Math.min(1, section.view.clientWidth / width, (window.innerHeight - 260) / height));
}

function move(step) {
  if (!current) return NODES.length && select(NODES[0], true);
  const {section, number, data} = current;
  const near = list => list.map(i => section.nodes[i]).sort((a, b) => Math.abs(a.data.box[0] - data.box[0]) - Math.abs(b.data.box[0] - data.box[0]))[0];
  let next = null;
  if (step === 'up') next = near(data.operands);
  if (step === 'down') next = near(section.data.edges.filter(edge => edge[0] === number).map(edge => edge[1]));
  if (step === 'left' || step === 'right') {
    const row = section.nodes.filter(node => node.data.box[1] === data.box[1]).sort((a, b) => a.data.box[0] - b.data.box[0]);
    next = row[row.indexOf(current) + (step === 'left' ? -1 : 1)];
  }
  if (next) select(next, true);
}

function wrong(direction) {
  const bad = NODES.filter(node => BAD.has(node.data.outcome));
  if (bad.length === 0) return;
  const at = bad.indexOf(current);
  select(bad[(at + direction + bad.length) % bad.length], true);
}

function search(text) {
  const wanted = text.toLowerCase();
  const found = NODES.find(node => node.data.name.toLowerCase() === wanted) ||
      NODES.find(node => `${node.data.name} ${node.data.label[1]}`.toLowerCase().includes(wanted));
  if (wanted && found) select(found, true);
}

for (const computation of DATA.computations) {
  const element = html('details'), view = html('div', '', {'class': 'scroll', 'tabindex': '-1'});
  const section = {data: computation, element, view, nodes: [], drawn: false};
  computation.nodes.forEach((data, number) => {
    const node = {data, number, section, element: null};
    section.nodes.push(node);
    NODES.push(node);
  });
  const bad = computation.nodes.filter(node => BAD.has(node.outcome)).length;
  const callers = computation.callers.length ? `, called by ${computation.callers.slice(0, 3).join(', ')}` : '';
  const size = `${computation.nodes.length} instruction${computation.nodes.length === 1 ? '' : 's'}`;
  element.append(html('summary', `${computation.name}${callers}: ${size}${bad ? `, ${bad} wrong` : ''}`), view);
  element.addEventListener('toggle', () => element.open && draw(section));
  SECTIONS.set(computation.name, section);
  byId('computations').append(element);
}
const counts = new Map();
for (const node of NODES) counts.set(node.data.outcome, (counts.get(node.data.outcome) || 0) + 1);
for (const [outcome, count] of [...counts].sort()) {
  const chip = html('span', '', {'class': 'outcome'}), mark = html('span', SIGNS[outcome] || '', {'class': 'mark'});
  mark.style.background = outcome ? `var(--o-${outcome.replaceAll(' ', '-')})` : 'var(--sheet)';
  chip.append(mark, html('span', `${outcome || 'not asked alone'} ${count}`));
  byId('legend').append(chip);
}
byId('title').textContent = shown(DATA.title);
byId('summary').textContent = shown(DATA.summary);
document.title = shown(DATA.title);
const entry = SECTIONS.values().next().value;
entry.element.open = true;
draw(entry);
for (const section of SECTIONS.values()) {
  if (section.nodes.some(node => BAD.has(node.data.outcome))) { section.element.open = true; draw(section); }
}
const first = NODES.find(node => node.data.name === DATA.first) || NODES.find(node => BAD.has(node.data.outcome)) ||
    entry.nodes.find(node => node.data.name === entry.data.root);
if (first) select(first, true);
byId('next').disabled = !NODES.some(node => BAD.has(node.data.outcome));
byId('next').addEventListener('click', () => wrong(1));
byId('smaller').addEventListener('click', () => resize(1 / 1.25));
byId('larger').addEventListener('click', () => resize(1.25));
byId('whole').addEventListener('click', () => resize(0));
byId('find').addEventListener('keydown', event => { if (event.key === 'Enter') search(event.target.value.trim()); });
document.addEventListener('keydown', event => {
  if (event.target.tagName === 'INPUT') { if (event.key === 'Escape') event.target.blur(); return; }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const actions = {ArrowUp: () => move('up'), ArrowDown: () => move('down'), ArrowLeft: () => move('left'), ArrowRight: () => move('right'),
                   n: () => wrong(1), p: () => wrong(-1), '+': () => resize(1.25), '=': () => resize(1.25), '-': () => resize(1 / 1.25),
                   0: () => resize(0), '/': () => byId('find').focus(),
                   Enter: () => current && current.data.called.length && openComputation(current.data.called[0])};
  if (!actions[event.key]) return;
  event.preventDefault();
  actions[event.key]();
});
