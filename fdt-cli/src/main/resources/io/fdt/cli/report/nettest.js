// The report of network tests: headings, charts and tables, from the JSON in the page. Where a value is in its chart,
// and the texts of all figures, are already known; only what depends on the width of the page is decided here.

import {drawCurve, drawTicksBelow, drawTicksBeside, tip} from './plot.js';
import {Rows, scrollable} from './rows.js';
import {SvgPen, saveFile, standalone} from './svgpen.js';

const RIGHT = 18;
const LEGEND_LINE = 18;
const LEGEND_MARK = 34;
const MOST_NAMES = 120;

function showSection({suite, measurements, charts, nothing}) {
  const section = element('section');
  const measured = measurements.filter((one) => !one.reference);
  const title = measured.length === 1 ? measured[0].title : suite;
  section.append(element('h2', title), ...measurements.map((one) => origin(one, measured.length > 1)));
  if (charts.length === 0) {
    section.append(element('p', nothing, 'empty'));
  }
  document.getElementById('content').append(section);
  charts.forEach((chart) => new ReportChart(section, chart));
}

function origin({name, reference, title, verdict, facts, result, tables}, titled) {
  const panel = element('section', '', 'panel origin');
  panel.append(element('h3', reference ? `${name} (for comparison)` : titled ? `${name}: ${title}` : name));
  if (verdict !== '') {
    panel.append(element('p', verdict, 'verdict'));
  }
  const list = element('dl');
  facts.forEach(([term, text]) => list.append(element('dt', term), element('dd', text)));
  panel.append(list, ...tables.map(tableOf));
  if (result.suite !== undefined) {
    panel.append(saving('Save as JSON', () =>
      saveFile(`${fileName(name)}.json`, 'application/json', JSON.stringify(result))));
  }
  return panel;
}

function saving(text, action) {
  const button = element('button', text, 'small');
  button.type = 'button';
  button.addEventListener('click', action);
  return button;
}

function fileName(title) {
  return title.replace(/[^A-Za-z0-9]+/g, '-');
}

/** The numbers, which can be sorted and copied. */
function tableOf({name, columns, rows, total}) {
  const details = element('details');
  const scroll = scrollable(name);
  details.append(element('summary', name), scroll);
  const shown = new Rows(scroll, name, columns.map((column, at) => ({
    name: column,
    text: (row) => row.cells[at],
    sort: (row) => (at === 0 ? Number(row.key) : amount(row.cells[at])),
    number: at > 0,
    head: at === 0,
  })));
  shown.show(rows.map((cells, key) => ({key: String(key), cells})));
  if (total > rows.length) {
    details.append(element('p', `The first ${rows.length} of ${total} rows; the result file has them all.`, 'note'));
  }
  return details;
}

/** The number that a figure begins with, such as `390k` or `45 %`; the text if there is none, null if it is empty. */
function amount(text) {
  const [, number, prefix] = /^(-?\d[\d.]*(?:e-?\d+)?)([kMGTP]?)/.exec(text) ?? [];
  return number === undefined ? text || null : number * 1000 ** ' kMGTP'.indexOf(prefix || ' ');
}

class ReportChart {
  constructor(section, chart) {
    this.chart = chart;
    this.figure = element('figure', '', 'panel chart');
    this.place = element('div');
    this.place.style.background = 'var(--panel)';
    const save = saving('Save as SVG', () => this.save());
    this.figure.append(element('figcaption', chart.title), save, this.place, tableOf(chart.table));
    section.append(this.figure);
    this.place.addEventListener('pointermove', (event) => this.point(event));
    this.place.addEventListener('pointerleave', () => this.leave());
    new ResizeObserver(() => this.draw(this.place.clientWidth)).observe(this.place);
    this.draw(this.place.clientWidth);
  }

  save() {
    this.leave();
    saveFile(`${fileName(this.chart.title)}.svg`, 'image/svg+xml', standalone(this.place.firstChild));
  }

  draw(width) {
    if (this.width === width || width === 0) {
      return;
    }
    this.width = width;
    const {chart} = this;
    const measure = new SvgPen(width, 0, '');
    const widest = (texts) => Math.max(0, ...texts.map((text) => measure.measureText(text).width));
    const left = 10 + Math.min(MOST_NAMES, widest(chart.y.ticks.map(([, label]) => label)));
    // Curves are lower on a phone; rows of cells keep their height.
    const height = chart.y.cells ? chart.height : Math.min(chart.height, Math.max(220, width * 0.7));
    const area = {left, top: 22, width: Math.max(20, width - left - RIGHT), height};
    const legend = this.layOutLegend(measure, width);
    const below = area.top + area.height + 24;
    const lines = legend.reduce((most, entry) => Math.max(most, entry.line + 1), 0);
    const pen = new SvgPen(width, below + 20 + lines * LEGEND_LINE, chart.title);
    this.area = area;
    pen.fillStyle = pen.ink('muted');
    pen.fillText(chart.y.label, 0, 10);
    drawTicksBeside(pen, area, chart.y.ticks, !chart.y.cells);
    drawTicksBelow(pen, area, chart.x.ticks, RIGHT);
    pen.textAlign = 'center';
    pen.textBaseline = 'alphabetic';
    pen.fillStyle = pen.ink('muted');
    pen.fillText(chart.x.label, area.left + area.width / 2, below + 10);
    pen.textAlign = 'left';
    chart.boxes.forEach((box) => this.drawBox(pen, box));
    [...chart.curves].reverse().forEach((curve) => {
      const places = curve.points.map(([x, y]) => [area.left + area.width * x, area.top + area.height * y]);
      drawSample(pen, curve, places);
    });
    legend.forEach((entry) => this.drawEntry(pen, entry, below + 20));
    this.mark = pen.add('rect', {y: area.top, width: 1, height: area.height, visibility: 'hidden'});
    this.mark.style.fill = pen.ink('faint');
    this.place.replaceChildren(pen.svg);
  }

  drawBox(pen, [x, y, toX, toY, ink, depth, note]) {
    const {area} = this;
    const box = [area.left + area.width * x, area.top + area.height * Math.min(y, toY),
      area.width * (toX - x), area.height * Math.abs(toY - y)];
    if (depth < 1) {
      pen.fillStyle = pen.ink('idle');
      pen.fillRect(...box);
    }
    pen.fillStyle = pen.ink(ink);
    pen.globalAlpha = depth;
    pen.fillRect(...box);
    pen.globalAlpha = 1;
    if (this.chart.legend.length === 0) {
      pen.fillStyle = pen.ink('ink');
      pen.fillText(pen.fitted(note, area.width), area.left + 2, box[1] - 4);
    }
  }

  /** Places the entries side by side, in as many lines as they need. */
  layOutLegend(pen, width) {
    let [x, line] = [0, 0];
    const boxes = this.chart.legend.map(([name, ink]) => ({name, ink}));
    return [...this.chart.curves, ...boxes].map((entry) => {
      const name = pen.fitted(entry.name, width - LEGEND_MARK);
      const wide = LEGEND_MARK + pen.measureText(name).width + 16;
      if (x > 0 && x + wide - 16 > width) {
        [x, line] = [0, line + 1];
      }
      const placed = {entry, name, x, line};
      x += wide;
      return placed;
    });
  }

  drawEntry(pen, {entry, name, x, line}, top) {
    const middle = top + (line + 0.5) * LEGEND_LINE;
    if (entry.points === undefined) {
      pen.fillStyle = pen.ink(entry.ink);
      pen.fillRect(x + 14, middle - 5, 12, 10);
    } else {
      drawSample(pen, entry, [[x + 3, middle], [x + 27, middle]]);
    }
    pen.textBaseline = 'middle';
    pen.fillStyle = pen.ink('ink');
    pen.fillText(name, x + LEGEND_MARK, middle);
  }

  point(event) {
    const {area, chart} = this;
    const scale = this.width / this.place.clientWidth;
    const box = this.place.getBoundingClientRect();
    const x = ((event.clientX - box.left) * scale - area.left) / area.width;
    const y = ((event.clientY - box.top) * scale - area.top) / area.height;
    if (x < -0.02 || x > 1.02 || y < 0 || y > 1) {
      this.leave();
    } else if (chart.rows_at.length > 0) {
      const at = chart.rows_at.reduce((best, place, index) =>
        (Math.abs(place - x) < Math.abs(chart.rows_at[best] - x) ? index : best), 0);
      this.mark.setAttribute('x', area.left + area.width * chart.rows_at[at]);
      this.mark.setAttribute('visibility', 'visible');
      const {columns, rows} = chart.table;
      tip.show(event, `${columns[0]}: ${rows[at][0]}`, columns.slice(1)
          .map((column, index) => [column, rows[at][index + 1], chart.curves[index].ink])
          .filter(([, figure]) => figure !== ''));
    } else {
      const found = chart.boxes.find(([fromX, fromY, toX, toY]) =>
        x >= fromX && x < toX && y >= Math.min(fromY, toY) && y < Math.max(fromY, toY));
      if (found === undefined) {
        this.leave();
      } else {
        const cell = (chart.x.cells ? cellAt(chart.x, x) : '') + (chart.y.cells ? cellAt(chart.y, y) : '');
        tip.show(event, cell, [[found[6], '', found[4]]]);
      }
    }
  }

  leave() {
    tip.hide();
    this.mark?.setAttribute('visibility', 'hidden');
  }
}

function cellAt({label, ticks}, share) {
  return label === '' ? '' : `${label} ${ticks[Math.min(ticks.length - 1, Math.floor(share * ticks.length))][1]}`;
}

function drawSample(pen, {ink, dash, reference, marks}, places) {
  drawCurve(pen, places, ink, dash, reference ? 1.25 : 1.75);
  if (marks) {
    places.forEach(([x, y]) => pen.dot(x, y, ink, reference));
  }
}

function element(name, text = '', type = '') {
  const made = document.createElement(name);
  made.textContent = text;
  made.className = type;
  return made;
}

JSON.parse(document.getElementById('report').textContent).sections.forEach(showSection);
