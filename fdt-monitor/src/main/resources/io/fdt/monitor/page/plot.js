// What all charts share: ticks and curves, drawn on a canvas or by a pen of svgpen.js. And what those over time share:
// the size in device pixels, the axis, the time under the pointer, and one common cursor, so that the second at which a
// rate fell is marked on every core as well.

import {clock} from './format.js';
import {colour, ink} from './palette.js';

const STEPS_SECONDS = [5, 10, 15, 30, 60, 120, 300];
const LABEL_WIDTH = 70;

/** The time under the user's pointer, in ms of the server's clock, or null, and the views that draw it. */
export const cursor = {
  timeMs: null,
  listeners: [],
  set(timeMs) {
    if (this.timeMs !== timeMs) {
      this.timeMs = timeMs;
      this.listeners.forEach((listener) => listener());
    }
  },
};

/** Fits the canvas to its place and returns its context in CSS pixels. */
export function fitted(canvas, height) {
  const width = canvas.clientWidth;
  const ratio = window.devicePixelRatio || 1;
  const wide = Math.round(width * ratio);
  const high = Math.round(height * ratio);
  if (canvas.width !== wide || canvas.height !== high) {
    canvas.width = wide;
    canvas.height = high;
    canvas.style.height = `${height}px`;
  }
  const context = canvas.getContext('2d');
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = `11px ${getComputedStyle(canvas).fontFamily}`;
  return {context, width, height, ratio};
}

/** Draws ticks at whole minutes or fractions of them. */
export function drawTimeAxis(pen, area, toMs, seconds) {
  const step = STEPS_SECONDS.find((s) => area.width / (seconds / s) >= LABEL_WIDTH) ?? 300;
  const fromMs = toMs - seconds * 1000;
  const ticks = [];
  for (let at = Math.ceil(fromMs / (step * 1000)) * step * 1000; at <= toMs; at += step * 1000) {
    ticks.push([(at - fromMs) / (toMs - fromMs), clock(at, step < 60)]);
  }
  drawTicksBelow(pen, area, ticks);
}

/** Draws ticks below the area, [[share of its width, label], …], with as many labels as fit. */
export function drawTicksBelow(pen, area, ticks, overhang = 8) {
  pen.fillStyle = ink(pen, 'faint');
  pen.textBaseline = 'top';
  pen.textAlign = 'center';
  let end = area.left - overhang;
  for (const [share, label] of ticks) {
    const x = area.left + area.width * share;
    pen.fillRect(Math.round(x), area.top + area.height, 1, 4);
    const half = pen.measureText(label).width / 2;
    if (label !== '' && x - half >= end && x + half <= area.left + area.width + overhang) {
      pen.fillText(label, x, area.top + area.height + 6);
      end = x + half + 8;
    }
  }
}

/** Draws ticks beside the area with their lines across it, [[share of its height from the top, label], …]. */
export function drawTicksBeside(pen, area, ticks, lines = true) {
  pen.textAlign = 'right';
  pen.textBaseline = 'middle';
  let last = Infinity;
  for (const [share, label] of ticks) {
    const y = Math.round(area.top + area.height * share);
    if (lines) {
      pen.fillStyle = ink(pen, share === 1 ? 'faint' : 'rule');
      pen.fillRect(area.left, y, area.width, 1);
    }
    if (label !== '' && !(Math.abs(last - y) < 12)) {
      pen.fillStyle = ink(pen, 'muted');
      pen.fillText(label, area.left - 6, y);
      last = y;
    }
  }
}

/** Draws a curve through places, [[x, y], …]; a place that is null is a gap. */
export function drawCurve(pen, places, name, dash, width = 1.75) {
  pen.strokeStyle = ink(pen, name);
  pen.lineWidth = width;
  pen.lineJoin = 'round';
  pen.setLineDash(dash);
  pen.beginPath();
  let drawing = false;
  for (const place of places) {
    if (place !== null) {
      pen[drawing ? 'lineTo' : 'moveTo'](...place);
    }
    drawing = place !== null;
  }
  pen.stroke();
  pen.setLineDash([]);
}

export function drawCursor(context, area, toMs, seconds) {
  if (cursor.timeMs === null || cursor.timeMs < toMs - seconds * 1000 || cursor.timeMs > toMs) {
    return;
  }
  context.fillStyle = colour('ink');
  context.globalAlpha = 0.55;
  context.fillRect(Math.round(xOf(cursor.timeMs, area, toMs, seconds)), area.top, 1, area.height);
  context.globalAlpha = 1;
}

export function xOf(timeMs, area, toMs, seconds) {
  return area.left + area.width * (1 - (toMs - timeMs) / (seconds * 1000));
}

export function timeAt(x, area, toMs, seconds) {
  return toMs - (1 - (x - area.left) / area.width) * seconds * 1000;
}

/** The page's only tooltip: rows of a name and a figure. It repeats values of the tables and readouts. */
export const tip = {
  show(event, title, rows) {
    const box = document.getElementById('tip');
    const head = document.createElement('strong');
    head.textContent = title;
    const list = document.createElement('dl');
    for (const [name, figure, key] of rows) {
      const term = document.createElement('dt');
      term.textContent = name;
      if (key) {
        term.className = `key ${key}`;
      }
      const value = document.createElement('dd');
      value.textContent = figure;
      list.append(term, value);
    }
    box.replaceChildren(head, list);
    box.hidden = false;
    const margin = 14;
    const x = Math.min(event.clientX + margin, innerWidth - box.offsetWidth - 8);
    const below = event.clientY + margin + box.offsetHeight < innerHeight;
    box.style.left = `${Math.max(8, x)}px`;
    box.style.top = `${below ? event.clientY + margin : Math.max(8, event.clientY - margin - box.offsetHeight)}px`;
  },
  hide() {
    document.getElementById('tip').hidden = true;
  },
};
