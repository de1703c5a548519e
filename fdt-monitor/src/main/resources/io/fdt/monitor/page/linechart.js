// Rates over time, one line for each series, and a table of the same series with current value, mean and peak. A gap in
// the samples is a gap in the line. Lines differ in dashes as well as in colour.

import {isNumber, clock, rate} from './format.js';
import {cursor, drawCurve, drawCursor, drawTicksBeside, drawTimeAxis, fitted, timeAt, tip, xOf} from './plot.js';
import {Rows, scrollable} from './rows.js';
import {GAP_MS} from './store.js';

const HEIGHT = 190;
const MOST_LINES = 8;
const COLOURS = 8;

/** The minimum range of the axis, 0.01 Gbit/s. A smaller range would only magnify noise. */
const LEAST_TOP = 1e7 / 8;

const DASHES = [[], [6, 3], [2, 3], [8, 3, 2, 3]];

export class LineChart {
  /**
   * @param seriesOf returns [[key, name, bytesPerSecond, number], …] of a sample; the number sets colour and dashes, so
   *     that a line looks the same after the page is loaded again
   * @param keepsIdle whether to show series that moved nothing in the whole time: true for sessions, false for
   *     interfaces
   */
  constructor(figure, name, seriesOf, keepsIdle) {
    this.keepsIdle = keepsIdle;
    this.name = name;
    this.seriesOf = seriesOf;
    this.canvas = document.createElement('canvas');
    this.canvas.className = 'lines';
    this.canvas.setAttribute('role', 'img');
    const scroll = scrollable(`Rates: ${name}`);
    this.left = document.createElement('p');
    this.left.className = 'note';
    figure.append(this.canvas, scroll, this.left);
    this.rows = new Rows(scroll, name, [
      {name: 'Line', text: (s) => s.name, swatch: colourOf, head: true},
      {name: 'Now', text: (s) => rate(s.now), value: (s) => s.now, number: true},
      {name: 'Mean', text: (s) => rate(s.mean), value: (s) => s.mean, number: true},
      {name: 'Peak', text: (s) => rate(s.peak), value: (s) => s.peak, number: true},
    ]);
    this.canvas.addEventListener('pointermove', (event) => this.point(event));
    this.canvas.addEventListener('pointerleave', () => {
      tip.hide();
      cursor.set(null);
    });
  }

  draw(store, seconds) {
    const samples = store.within(seconds);
    const {context, width} = fitted(this.canvas, HEIGHT);
    if (samples.length === 0) {
      this.shown = null;
      return;
    }
    const toMs = store.newest.t;
    const {series, hidden} = this.gather(samples, toMs);
    this.left.hidden = hidden === 0;
    this.left.textContent = `Only the ${series.length} of ${series.length + hidden} with the highest peak are drawn.`;
    const top = niceCeiling(Math.max(LEAST_TOP, ...series.map((s) => s.peak)));
    const area = {left: 74, top: 8, width: Math.max(20, width - 82), height: HEIGHT - 34};
    this.shown = {series, area, toMs, seconds};
    drawTicksBeside(context, area, rateTicks(top));
    for (const line of series) {
      drawLine(context, area, line, top, toMs, seconds);
    }
    drawTimeAxis(context, area, toMs, seconds);
    drawCursor(context, area, toMs, seconds);
    this.rows.show(series);
    this.canvas.setAttribute('aria-label', `${this.name} over time. `
        + (series.length === 0 ? 'Nothing moved.' : series.map((s) => `${s.name}: now ${rate(s.now)}`).join('; ')));
  }

  gather(samples, toMs) {
    const found = new Map();
    for (const sample of samples) {
      for (const [key, name, value, number] of this.seriesOf(sample)) {
        if (!isNumber(value)) {
          continue;
        }
        if (!found.has(key)) {
          found.set(key, {key, name, points: []});
        }
        found.get(key).number = number;
        found.get(key).points.push([sample.t, value]);
      }
    }
    let all = [...found.values()];
    for (const one of all) {
      one.peak = one.points.reduce((most, point) => Math.max(most, point[1]), 0);
      one.mean = one.points.reduce((sum, point) => sum + point[1], 0) / one.points.length;
      const last = one.points[one.points.length - 1];
      one.now = toMs - last[0] < GAP_MS ? last[1] : null;
    }
    all = all.filter((one) => this.keepsIdle || one.peak > 0);
    const worthy = all.length;
    // Only the largest series are drawn.
    all = all.sort((a, b) => b.peak - a.peak).slice(0, MOST_LINES).sort((a, b) => (a.key < b.key ? -1 : 1));
    return {series: all, hidden: worthy - all.length};
  }

  point(event) {
    if (!this.shown) {
      return;
    }
    const {series, area, toMs, seconds} = this.shown;
    const timeMs = timeAt(event.clientX - this.canvas.getBoundingClientRect().left, area, toMs, seconds);
    if (timeMs < toMs - seconds * 1000 || timeMs > toMs + 1000) {
      tip.hide();
      cursor.set(null);
      return;
    }
    cursor.set(timeMs);
    tip.show(event, clock(timeMs), series.map((line) => [line.name, rate(nearest(line.points, timeMs)), `line${colourOf(line)}`]));
  }
}

function colourOf(line) {
  return line.number % COLOURS;
}

function drawLine(context, area, line, top, toMs, seconds) {
  context.save();
  context.beginPath();
  context.rect(area.left, area.top - 2, area.width, area.height + 4);
  context.clip();
  const dash = Math.floor(colourOf(line) / 2) + Math.floor(line.number / COLOURS);
  const places = [];
  let before = null;
  for (const [t, value] of line.points) {
    if (before !== null && t - before > GAP_MS) {
      places.push(null);
    }
    places.push([xOf(t, area, toMs, seconds), area.top + area.height * (1 - value / top)]);
    before = t;
  }
  drawCurve(context, places, `line${colourOf(line)}`, DASHES[dash % DASHES.length]);
  context.restore();
}

function nearest(points, timeMs) {
  const best = points.reduce((a, b) => (Math.abs(b[0] - timeMs) < Math.abs(a[0] - timeMs) ? b : a));
  return Math.abs(best[0] - timeMs) < GAP_MS ? best[1] : null;
}

/** The ticks of an axis that ends at a rate, from below. */
export function rateTicks(top) {
  return [0, 1, 2, 3, 4].map((i) => [1 - i / 4, i === 0 ? '0' : rate(top * i / 4)]);
}

/**
 * Returns the smallest of 1, 2, 4, 8 times a power of ten, in bits, that is not below the value. It divides well by
 * four.
 */
export function niceCeiling(bytesPerSecond) {
  const bits = bytesPerSecond * 8;
  const power = 10 ** Math.floor(Math.log10(bits));
  return [1, 2, 4, 8, 10].find((step) => step * power >= bits) * power / 8;
}
