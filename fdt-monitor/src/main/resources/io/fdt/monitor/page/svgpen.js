// Draws SVG with the calls of a canvas that plot.js uses. Colours stay custom properties of the page, so that a picture
// in the page follows its scheme and its print style; a saved picture has those that were shown.

const NAMESPACE = 'http://www.w3.org/2000/svg';
const ANCHORS = {left: 'start', center: 'middle', right: 'end'};
const DROPS = {top: '0.8em', middle: '0.35em', alphabetic: '0'};
const FONT_SIZE = 11;

export class SvgPen {
  constructor(width, height, label) {
    this.svg = document.createElementNS(NAMESPACE, 'svg');
    set(this.svg, {viewBox: `0 0 ${width} ${height}`, width, height, 'font-size': FONT_SIZE});
    set(this.svg, {role: 'img', 'aria-label': label});
    this.ruler = document.createElement('canvas').getContext('2d');
    this.ruler.font = `${FONT_SIZE}px ${getComputedStyle(document.body).fontFamily}`;
    Object.assign(this, {globalAlpha: 1, lineWidth: 1, dash: [], path: ''});
    Object.assign(this, {textAlign: 'left', textBaseline: 'alphabetic'});
  }

  ink(name) {
    return `var(--${name})`;
  }

  setLineDash(dash) {
    this.dash = dash;
  }

  beginPath() {
    this.path = '';
  }

  moveTo(x, y) {
    this.path += `M${round(x)} ${round(y)}`;
  }

  lineTo(x, y) {
    this.path += `L${round(x)} ${round(y)}`;
  }

  stroke() {
    const line = this.add('path', {
      d: this.path,
      fill: 'none',
      'stroke-width': this.lineWidth,
      'stroke-linejoin': 'round',
      'stroke-dasharray': this.dash.join(' '),
    });
    line.style.stroke = this.strokeStyle;
  }

  fillRect(x, y, width, height) {
    const box = this.add('rect', {
      x: round(x), y: round(y), width: round(width), height: round(height), 'fill-opacity': this.globalAlpha,
    });
    box.style.fill = this.fillStyle;
  }

  /** A dot on a curve; a hollow one shows the paper. */
  dot(x, y, ink, hollow) {
    const dot = this.add('circle', {cx: round(x), cy: round(y), r: 2.75, 'stroke-width': 1.25});
    dot.style.stroke = this.ink(ink);
    dot.style.fill = this.ink(hollow ? 'panel' : ink);
  }

  fillText(text, x, y) {
    const line = this.add('text', {
      x: round(x), y: round(y), dy: DROPS[this.textBaseline], 'text-anchor': ANCHORS[this.textAlign],
    });
    line.style.fill = this.fillStyle;
    line.textContent = text;
  }

  measureText(text) {
    return this.ruler.measureText(text);
  }

  /** The text, cut with an ellipsis if it is wider. */
  fitted(text, width) {
    const letters = [...text];
    while (letters.length > 0 && this.measureText(letters.join('')).width > width) {
      letters.splice(-2, 2, '…');
    }
    return letters.join('');
  }

  add(name, attributes) {
    const element = document.createElementNS(NAMESPACE, name);
    set(element, attributes);
    this.svg.append(element);
    return element;
  }
}

/** A picture of the page as the text of a file of its own, in the colours that are shown. */
export function standalone(svg) {
  const copy = svg.cloneNode(true);
  const shown = [...svg.querySelectorAll('*')];
  [...copy.querySelectorAll('*')].forEach((element, index) => {
    for (const name of ['fill', 'stroke']) {
      if (element.style[name]) {
        element.setAttribute(name, getComputedStyle(shown[index])[name]);
      }
    }
    element.removeAttribute('style');
  });
  const paper = document.createElementNS(NAMESPACE, 'rect');
  set(paper, {width: '100%', height: '100%', fill: getComputedStyle(svg.parentElement).backgroundColor});
  copy.prepend(paper);
  copy.setAttribute('font-family', getComputedStyle(document.body).fontFamily);
  return new XMLSerializer().serializeToString(copy);
}

/** Lets the user save a text as a file. */
export function saveFile(name, type, text) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], {type}));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    element.setAttribute(name, value);
  }
}

function round(value) {
  return Math.round(value * 100) / 100;
}
