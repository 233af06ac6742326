// A view of one module as a graph: foldable computations, details of an instruction, keys. Places are computed already.

const BAD = new Set(['wrong', 'failed', 'flaky', 'invalid']);

function drawing(tag, attributes, text) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text) element.textContent = shown(text);
  return element;
}

class GraphView {
  // `data` is what GraphData() of graph_page.h says of a module; `host` is emptied.
  constructor(host, data) {
    this.nodes = [];  // of all computations: {data, number, section, element}
    this.sections = new Map();
    this.zoom = 1;
    this.current = null;
    this.details = make('aside', {id: 'details', 'aria-live': 'polite'}, make('p', {'class': 'quiet'}, 'Point at an instruction, or move with the arrow keys.'));
    this.computations = make('div', {id: 'computations'});
    for (const computation of data.computations) this.addSection(computation);
    host.replaceChildren(this.toolbar(), this.legend(), make('div', {'class': 'graph-columns'}, this.computations, this.details),
                         make('p', {'class': 'quiet'}, 'Keys: arrows move along operands, users and neighbours; n and p go to the next and the previous wrong ' +
                              'instruction; + and − zoom, 0 fits; Enter opens what is called; / searches.'));
    const entry = this.sections.values().next().value;
    for (const section of this.sections.values()) {
      if (section === entry || section.nodes.some(node => BAD.has(node.data.outcome))) this.open(section);
    }
    const first = this.nodes.find(node => node.data.name === data.first) || this.nodes.find(node => BAD.has(node.data.outcome)) ||
        entry.nodes.find(node => node.data.name === entry.data.root);
    if (first) this.select(first, true);
  }

  toolbar() {
    const button = (id, title, label, act) => {
      const element = make('button', {id, title, type: 'button'}, label);
      element.addEventListener('click', act);
      return element;
    };
    const next = button('next', 'n', 'next wrong', () => this.wrong(1));
    next.disabled = !this.nodes.some(node => BAD.has(node.data.outcome));
    this.find = make('input', {id: 'find', type: 'search', placeholder: 'find an instruction ( / )', 'aria-label': 'Find an instruction'});
    this.find.addEventListener('keydown', event => { if (event.key === 'Enter') this.search(event.target.value.trim()); });
    return make('div', {'class': 'tools', role: 'toolbar', 'aria-label': 'Graph'}, next, button('smaller', '-', '−', () => this.resize(1 / 1.25)),
                button('whole', '0', 'fit', () => this.resize(0)), button('larger', '+', '+', () => this.resize(1.25)), this.find);
  }

  legend() {
    const counts = new Map(), chips = make('div', {id: 'legend', 'class': 'chips'});
    for (const node of this.nodes) counts.set(node.data.outcome, (counts.get(node.data.outcome) || 0) + 1);
    const places = Object.keys(SIGNS), badness = outcome => places.indexOf(outcome);
    for (const [outcome, count] of [...counts].sort((a, b) => badness(b[0]) - badness(a[0]))) {  // the worst first
      const sign = outcome ? mark(outcome) : make('span', {'class': 'mark', 'aria-hidden': 'true'});
      chips.append(make('span', {'class': 'outcome'}, sign, make('span', {}, `${outcome || 'not asked alone'} ${count}`)));
    }
    return chips;
  }

  addSection(computation) {
    const element = make('details'), view = make('div', {'class': 'scroll', tabindex: '-1'});
    const section = {data: computation, element, view, nodes: [], drawn: false};
    computation.nodes.forEach((data, number) => {
      const node = {data, number, section, element: null};
      section.nodes.push(node);
      this.nodes.push(node);
    });
    const bad = computation.nodes.filter(node => BAD.has(node.outcome)).length;
    const callers = computation.callers.length ? `, called by ${computation.callers.slice(0, 3).join(', ')}` : '';
    element.append(make('summary', {}, `${computation.name}${callers}: ${plural(computation.nodes.length, 'instruction')}${bad ? `, ${bad} wrong` : ''}`), view);
    element.addEventListener('toggle', () => element.open && this.draw(section));
    this.sections.set(computation.name, section);
    this.computations.append(element);
  }

  open(section) {
    section.element.open = true;
    this.draw(section);
  }

  openComputation(name) {
    const section = this.sections.get(name);
    if (!section) return;
    this.open(section);
    this.select(section.nodes.find(node => BAD.has(node.data.outcome)) || section.nodes[section.nodes.length - 1], true);
  }

  describe(node) {
    const list = make('dl');
    for (const [name, text] of [['outcome', node.data.outcome || 'not asked alone'], ...node.data.rows]) list.append(make('dt', {}, name), make('dd', {}, text));
    for (const name of node.data.called) {
      const button = make('button', {type: 'button'}, `open ${name}`);
      button.addEventListener('click', () => this.openComputation(name));
      list.append(button);
    }
    this.details.replaceChildren(make('h2', {}, node.data.name), list);
    for (const path of this.computations.querySelectorAll('path.on')) path.classList.remove('on');
    for (const edge of node.section.data.edges) {
      if (edge[0] === node.number || edge[1] === node.number) node.section.paths.get(edge).classList.add('on');
    }
  }

  select(node, scroll) {
    if (this.current) { this.current.element.setAttribute('tabindex', '-1'); this.current.element.classList.remove('on'); }
    this.current = node;
    this.open(node.section);
    node.element.setAttribute('tabindex', '0');
    node.element.classList.add('on');
    this.describe(node);
    if (!scroll) return;
    const [x, y, width, height] = node.data.box, view = node.section.view;
    this.bringIntoView(node.section.element);
    view.scrollLeft = (x + width / 2) * this.zoom - view.clientWidth / 2;
    view.scrollTop = (y + height / 2) * this.zoom - view.clientHeight / 2;
    // A frame in a notebook takes the focus only from itself.
    if (window.top === window || document.hasFocus()) node.element.focus({preventScroll: true});
  }

  // scrollIntoView would also scroll the notebook in which the page is a frame.
  bringIntoView(element) {
    const {top, bottom} = element.getBoundingClientRect();
    if (element.closest('dialog')) return element.scrollIntoView({block: 'nearest'});
    if (top < 0 || bottom - top > innerHeight) window.scrollBy(0, top);
    else if (bottom > innerHeight) window.scrollBy(0, bottom - innerHeight);
  }

  drawNode(node) {
    const {data} = node, [x, y, width, height] = data.box, [first, second] = data.label;
    const group = drawing('g', {'class': `node${data.name === node.section.data.root ? ' root' : ''}${BAD.has(data.outcome) ? ' wrong' : ''}`,
                                'transform': `translate(${x},${y})`, 'tabindex': '-1', 'role': 'button',
                                'aria-label': `${data.name}, ${second}, ${data.outcome || 'not asked alone'}`});
    const rect = drawing('rect', {width, height, rx: 6});
    if (data.outcome) rect.style.fill = colourOf(data.outcome);
    const texts = [drawing('text', {x: 10, y: 17}, `${SIGNS[data.outcome] ? SIGNS[data.outcome] + ' ' : ''}${first}`),
                   drawing('text', {x: 10, y: 31, 'class': 'second'}, second)];
    if (data.outcome) for (const text of texts) text.style.fill = inkOn(data.outcome);
    group.append(rect, ...texts);
    group.addEventListener('pointerenter', () => this.describe(node));
    group.addEventListener('click', () => this.select(node, false));
    node.element = group;
    return group;
  }

  draw(section) {
    if (section.drawn) return;
    section.drawn = true;
    const [width, height] = section.data.size;
    section.svg = drawing('svg', {viewBox: `0 0 ${width} ${height}`, width: width * this.zoom, height: height * this.zoom});
    section.paths = new Map(section.data.edges.map(edge => [edge, drawing('path', {d: edge[2]})]));
    section.svg.append(...section.paths.values(), ...section.nodes.map(node => this.drawNode(node)));
    section.view.append(section.svg);
  }

  resize(factor) {
    const view = this.current && this.current.section.view;
    this.zoom = factor === 0 ? this.fitting() : Math.min(3, Math.max(.05, this.zoom * factor));
    for (const section of this.sections.values()) {
      if (!section.drawn) continue;
      section.svg.setAttribute('width', section.data.size[0] * this.zoom);
      section.svg.setAttribute('height', section.data.size[1] * this.zoom);
    }
    if (view) this.select(this.current, true);
  }

  fitting() {
    const section = this.current ? this.current.section : this.sections.values().next().value;
    const [width, height] = section.data.size;
    return Math.max(.05, Math.min(1, section.view.clientWidth / width, (window.innerHeight - 260) / height));
  }

  move(step) {
    if (!this.current) { if (this.nodes.length) this.select(this.nodes[0], true); return; }
    const {section, number, data} = this.current;
    const near = list => list.map(i => section.nodes[i]).sort((a, b) => Math.abs(a.data.box[0] - data.box[0]) - Math.abs(b.data.box[0] - data.box[0]))[0];
    let next = null;
    if (step === 'up') next = near(data.operands);
    if (step === 'down') next = near(section.data.edges.filter(edge => edge[0] === number).map(edge => edge[1]));
    if (step === 'left' || step === 'right') {
      const row = section.nodes.filter(node => node.data.box[1] === data.box[1]).sort((a, b) => a.data.box[0] - b.data.box[0]);
      next = row[row.indexOf(this.current) + (step === 'left' ? -1 : 1)];
    }
    if (next) this.select(next, true);
  }

  wrong(direction) {
    const bad = this.nodes.filter(node => BAD.has(node.data.outcome));
    if (bad.length > 0) this.select(bad[(bad.indexOf(this.current) + direction + bad.length) % bad.length], true);
  }

  search(text) {
    const wanted = text.toLowerCase();
    const found = this.nodes.find(node => node.data.name.toLowerCase() === wanted) ||
        this.nodes.find(node => `${node.data.name} ${node.data.label[1]}`.toLowerCase().includes(wanted));
    if (wanted && found) this.select(found, true);
  }

  key(event) {
    if (event.target.tagName === 'INPUT') { if (event.key === 'Escape') event.target.blur(); return; }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Enter' && !event.target.closest?.('g.node')) return;  // of a button
    const actions = {ArrowUp: () => this.move('up'), ArrowDown: () => this.move('down'), ArrowLeft: () => this.move('left'), ArrowRight: () => this.move('right'),
                     n: () => this.wrong(1), p: () => this.wrong(-1), '+': () => this.resize(1.25), '=': () => this.resize(1.25), '-': () => this.resize(1 / 1.25),
                     0: () => this.resize(0), '/': () => this.find.focus(),
                     Enter: () => this.current && this.current.data.called.length && this.openComputation(this.current.data.called[0])};
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  }
}
