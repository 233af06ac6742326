// The page of one module, or of several in groups, each with its graph.
const DATA = JSON.parse(document.getElementById('data').textContent);
let view = null;

function showModule(module, button) {
  document.getElementById('module').hidden = DATA.groups.length === 0;
  document.getElementById('module-name').textContent = shown(module.title);
  document.getElementById('module-summary').textContent = shown(module.summary);
  for (const each of document.querySelectorAll('#modules [aria-current]')) each.removeAttribute('aria-current');
  if (button) button.setAttribute('aria-current', 'true');
  const host = document.getElementById('graph');
  if (module.computations) {
    view = new GraphView(host, module);
  } else {
    view = null;
    host.replaceChildren();
  }
}

document.title = shown(DATA.title);
document.getElementById('title').textContent = shown(DATA.title);
document.getElementById('summary').textContent = shown(DATA.summary);
document.addEventListener('keydown', event => view?.key(event));
const buttons = [];
for (const group of DATA.groups) {
  const list = make('ul');
  for (const module of group.modules) {
    const button = make('button', {type: 'button', title: module.summary}, module.title);
    button.addEventListener('click', () => showModule(module, button));
    buttons.push([module, button]);
    list.append(make('li', {}, button, make('span', {'class': 'quiet'}, module.note)));
  }
  document.getElementById('modules').append(make('section', {}, make('h2', {}, group.title), list));
}
document.getElementById('modules').hidden = DATA.groups.length === 0;
if (DATA.groups.length === 0) {
  showModule(DATA, null);
} else {
  const [module, button] = buttons.find(([each]) => each.computations) || buttons[0];
  showModule(module, button);
  scrollTo(0, 0);  // the verdict and the groups first; the graph has the focus
}
