// What the pages share: signs and colours of outcomes, and text that is safe to show.
'use strict';

// A sign beside the colour, for who does not tell the colours apart.
const SIGNS = {'exact': '', 'correctly rounded': '', 'within bound': '', 'allowed': '', 'known deviation': '≠', 'refused': '', 'not run': '–',
               'not supported': '–', 'not judgeable': '?', 'wrong': '×', 'flaky': '~', 'failed': '!', 'invalid': '⊘'};
const PALE = new Set(['within bound', 'allowed', 'known deviation', 'not run', 'not supported', 'not judgeable']);

const colourOf = name => `var(--o-${name.replaceAll(' ', '-')})`;
const inkOn = name => name === 'not run' || name === 'not supported' ? 'var(--ink)' : PALE.has(name) ? '#1b1f27' : '#ffffff';
const plural = (count, word) => `${count.toLocaleString('en')} ${word}${count === 1 ? '' : 's'}`;

// Characters that would not show, or would turn text around, as their code.
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]/g;
const shown = text => String(text).replace(HIDDEN, c => `\\u{${c.codePointAt(0).toString(16)}}`);

// An element with attributes and children. Text only ever becomes text.
function make(tag, attributes = {}, ...children) {
  const element = ['svg', 'rect', 'text', 'line'].includes(tag) ? document.createElementNS('http://www.w3.org/2000/svg', tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    element.setAttribute(name, value === true ? '' : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === '') continue;
    element.append(child instanceof Node ? child : shown(child));
  }
  return element;
}

function mark(name) {
  const element = make('span', {'class': 'mark', 'aria-hidden': 'true'}, SIGNS[name]);
  element.style.background = colourOf(name);
  element.style.color = inkOn(name);
  return element;
}
