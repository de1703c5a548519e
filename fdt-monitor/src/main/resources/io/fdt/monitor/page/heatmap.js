// Cores by time: one row for each core, with the newest sample on the right, and the current state at the end of each
// row.
//
// "All" mixes the colours of the modes by their shares: a core that runs the program is blue, a core that serves the
// network is orange, and an idle core is almost the colour of the background. The other choices show one mode by colour
// depth. A time without a sample has no colour, which differs from the colour of an idle core.

import {clock, percent} from './format.js';
import {colour, rgb} from './palette.js';
import {cursor, drawCursor, drawTimeAxis, fitted, timeAt, tip} from './plot.js';
import {GAP_MS, parts} from './store.js';

const MIXED = ['user', 'system', 'softirq', 'steal'];
const AXIS_HEIGHT = 22;
const NODE_HEIGHT = 16;

/** Makes small loads visible: at low shares, the colour depth grows faster than the share. */
const DEPTH = 0.72;

export class HeatMap {
  /**
   * @param figure contains the canvas
   * @param coresOf returns the cores of a sample, or undefined if it has none
   */
  constructor(figure, name, coresOf) {
    this.coresOf = coresOf;
    this.name = name;
    this.bitmap = document.createElement('canvas');
    this.canvas = document.createElement('canvas');
    this.canvas.className = 'heat';
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute('role', 'img');
    this.readout = document.createElement('p');
    this.readout.className = 'readout';
    this.readout.id = `${figure.id}-readout`;
    this.readout.setAttribute('aria-live', 'polite');
    this.canvas.setAttribute('aria-describedby', this.readout.id);
    figure.append(this.canvas, this.readout);
    this.shown = null;
    this.row = 0;
    this.canvas.addEventListener('pointermove', (event) => this.point(event));
    this.canvas.addEventListener('pointerleave', () => this.leave());
    this.canvas.addEventListener('keydown', (event) => this.key(event));
    this.canvas.addEventListener('blur', () => this.leave());
  }

  draw(store, seconds, mode) {
    const newest = store.newest;
    const now = this.latestCores(store);
    const cores = now ?? this.latestCores(store, seconds * 1000);
    if (cores === undefined) {
      this.shown = null;
      fitted(this.canvas, 40);
      return;
    }
    const rows = layOut(cores);
    const height = rows.height + AXIS_HEIGHT;
    const {context, width, ratio} = fitted(this.canvas, height);
    const phone = width < 480;
    const left = 12 + 7 * String(rows.list[rows.list.length - 1].core).length;
    const right = phone ? 78 : 132;
    const area = {left, top: 0, width: Math.max(20, width - left - right), height: rows.height};
    this.shown = {store, seconds, mode, rows, area, toMs: newest.t};
    const columns = Math.max(1, Math.min(seconds, Math.floor(area.width * ratio)));
    this.paint(store.within(seconds), rows, columns, newest.t, seconds, mode);

    context.fillStyle = colour('void');
    for (const row of rows.list) {
      context.fillRect(area.left, row.top, area.width, row.height);
    }
    context.imageSmoothingEnabled = false;
    rows.list.forEach((row, index) => {
      context.drawImage(this.bitmap, 0, index, columns, 1, area.left, row.top, area.width, row.height);
    });
    this.drawLabels(context, rows, area);
    if (now !== undefined) {
      this.drawNow(context, rows, area, width, now, mode);
    }
    drawTimeAxis(context, area, newest.t, seconds);
    drawCursor(context, area, newest.t, seconds);
    this.canvas.dataset.rows = rows.list.length;
    this.describe(cores.length, now);
  }

  /** The remote end reports at its own pace, so its newest cores may be a sample or two old; undefined if older. */
  latestCores(store, withinMs = 2 * GAP_MS) {
    for (let i = store.samples.length - 1; i >= 0 && store.newest.t - store.samples[i].t < withinMs; i--) {
      const cores = this.coresOf(store.samples[i]);
      if (cores !== undefined && cores.length > 0) {
        return cores;
      }
    }
    return undefined;
  }

  /** Paints one pixel for each core and column. Uses the mean if several samples share a pixel. */
  paint(samples, rows, columns, toMs, seconds, mode) {
    const count = rows.list.length;
    const rowOf = new Map(rows.list.map((row, index) => [row.core, index]));
    const sums = new Float32Array(count * columns * 5);
    const hits = new Uint16Array(count * columns);
    samples.forEach((sample, index) => {
      const cores = this.coresOf(sample);
      if (cores === undefined) {
        return;
      }
      // A sample covers the time since the previous one, including a small delay.
      const before = index === 0 ? sample.t - 1000 : samples[index - 1].t;
      const fromMs = sample.t - before <= GAP_MS ? before : sample.t - 1000;
      const scale = columns / (seconds * 1000);
      const last = columns - 1 - Math.floor((toMs - sample.t) * scale);
      const first = Math.max(0, Math.min(last, columns - Math.round((toMs - fromMs) * scale)));
      for (const core of cores) {
        const row = rowOf.get(core.core);
        if (row === undefined) {
          continue;
        }
        const p = parts(core);
        for (let column = first; column <= last; column++) {
          const cell = row * columns + column;
          hits[cell]++;
          sums[cell * 5] += p.user;
          sums[cell * 5 + 1] += p.system;
          sums[cell * 5 + 2] += p.softirq;
          sums[cell * 5 + 3] += p.steal;
          sums[cell * 5 + 4] += p.iowait;
        }
      }
    });
    this.bitmap.width = columns;
    this.bitmap.height = count;
    const context = this.bitmap.getContext('2d');
    const image = context.createImageData(columns, count);
    const idle = rgb('idle');
    const inks = [...MIXED, 'iowait'].map(rgb);
    const single = [...MIXED, 'iowait'].indexOf(mode);
    for (let cell = 0; cell < hits.length; cell++) {
      if (hits[cell] === 0) {
        continue;
      }
      mix(image.data, cell * 4, idle, inks, sums.subarray(cell * 5, cell * 5 + 5), hits[cell], single);
    }
    context.putImageData(image, 0, 0);
  }

  drawLabels(context, rows, area) {
    context.textAlign = 'right';
    context.textBaseline = 'middle';
    const every = Math.ceil(12 / rows.rowHeight);
    rows.list.forEach((row, index) => {
      if (index % every === 0) {
        context.fillStyle = colour('muted');
        context.fillText(String(row.core), area.left - 6, row.top + row.height / 2 + 0.5);
      }
    });
    context.textAlign = 'left';
    context.fillStyle = colour('faint');
    for (const node of rows.nodes) {
      context.fillText(`NUMA node ${node.node}`, area.left, node.top + NODE_HEIGHT / 2 - 1);
    }
  }

  /** Draws the last second of each core as in top: one bar of its modes, with their sum as a number. */
  drawNow(context, rows, area, width, cores, mode) {
    const byCore = new Map(cores.map((core) => [core.core, core]));
    const barLeft = area.left + area.width + 10;
    const barWidth = width - barLeft - 36;
    const every = Math.ceil(12 / rows.rowHeight);
    context.textBaseline = 'middle';
    context.textAlign = 'right';
    rows.list.forEach((row, index) => {
      const p = parts(byCore.get(row.core));
      const inset = row.height >= 12 ? 3 : row.height >= 6 ? 1 : 0;
      context.fillStyle = colour('idle');
      context.fillRect(barLeft, row.top + inset, barWidth, row.height - 2 * inset);
      let x = barLeft;
      for (const name of [...MIXED, 'iowait']) {
        if (mode !== 'all' && mode !== name) {
          continue;
        }
        const length = Math.min(p[name] * barWidth, barLeft + barWidth - x);
        context.fillStyle = colour(name);
        context.fillRect(x, row.top + inset, length, row.height - 2 * inset);
        x += length;
      }
      if (index % every === 0) {
        const share = mode === 'all' ? p.busy : p[mode];
        context.fillStyle = colour(share >= 0.9 ? 'ink' : 'muted');
        context.fillText(percent(share), width - 1, row.top + row.height / 2 + 0.5);
      }
    });
  }

  /** @param cores as of now; undefined if they are reported no more */
  describe(count, cores) {
    if (cores === undefined) {
      this.canvas.setAttribute('aria-label', `${this.name}: ${count} cores by time, which it reports no more.`);
      return;
    }
    const busiest = cores.reduce((a, b) => (parts(b).busy > parts(a).busy ? b : a));
    const serving = cores.reduce((a, b) => (parts(b).softirq > parts(a).softirq ? b : a));
    const label = `${this.name}: ${count} cores by time. Busiest now is core ${busiest.core} with `
        + `${percent(parts(busiest).busy)}; core ${serving.core} has most softirq, ${percent(parts(serving).softirq)}. `
        + 'Arrow keys move over cores and time; the table below has every core.';
    this.canvas.setAttribute('aria-label', label);
  }

  point(event) {
    if (this.shown === null) {
      return;
    }
    const box = this.canvas.getBoundingClientRect();
    const {area, toMs, seconds, rows} = this.shown;
    const x = event.clientX - box.left;
    const y = event.clientY - box.top;
    const row = rows.list.find((r) => y >= r.top && y <= r.top + r.height + 1);
    if (row === undefined || x < area.left) {
      this.leave();
      return;
    }
    const timeMs = x > area.left + area.width ? toMs : timeAt(x, area, toMs, seconds);
    this.row = rows.list.indexOf(row);
    cursor.set(timeMs);
    const found = this.lookUp(row.core, timeMs);
    if (found === null) {
      tip.show(event, `Core ${row.core} at ${clock(timeMs)}`, [['no sample', '']]);
    } else {
      tip.show(event, `Core ${row.core} at ${clock(found.t)}`, [
        ['user', percent(found.user), 'user'],
        ['system', percent(found.system), 'system'],
        ['softirq, irq', percent(found.softirq), 'softirq'],
        ['I/O wait', percent(found.iowait), 'iowait'],
        ['steal', percent(found.steal), 'steal'],
      ]);
    }
  }

  leave() {
    tip.hide();
    cursor.set(null);
  }

  /**
   * Left and right move through time, up and down through the cores. The line below the map describes the selected
   * cell.
   */
  key(event) {
    const steps = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1], Home: [-1e6, 0], End: [1e6, 0]};
    const step = steps[event.key];
    if (step === undefined || this.shown === null) {
      return;
    }
    event.preventDefault();
    const {toMs, seconds, rows} = this.shown;
    const stepMs = seconds >= 900 ? 5000 : 1000;
    this.row = Math.min(rows.list.length - 1, Math.max(0, this.row + step[1]));
    const from = cursor.timeMs ?? toMs;
    cursor.set(Math.min(toMs, Math.max(toMs - seconds * 1000 + 1000, from + step[0] * stepMs)));
    const core = rows.list[this.row].core;
    const found = this.lookUp(core, cursor.timeMs);
    this.readout.textContent = found === null
      ? `Core ${core}, ${clock(cursor.timeMs)}: no sample`
      : `Core ${core}, ${clock(found.t)}: user ${percent(found.user)}, system ${percent(found.system)}, `
        + `softirq and irq ${percent(found.softirq)}, I/O wait ${percent(found.iowait)}, steal ${percent(found.steal)}`;
  }

  lookUp(coreNumber, timeMs) {
    const sample = this.shown.store.at(timeMs);
    const core = sample === null ? undefined : this.coresOf(sample)?.find((c) => c.core === coreNumber);
    return core === undefined ? null : {t: sample.t, ...parts(core)};
  }
}

/** Writes the colour of a cell: the idle colour, covered by the colour of each mode in proportion to its share. */
function mix(data, at, idle, inks, sums, hits, single) {
  let left = 1;
  let busy = 0;
  for (let m = 0; m < 4; m++) {
    busy += sums[m] / hits;
  }
  const only = single >= 0 ? Math.min(1, sums[single] / hits) : 0;
  const depth = single >= 0 ? only ** DEPTH : Math.min(1, busy) ** DEPTH;
  for (let channel = 0; channel < 3; channel++) {
    let ink = 0;
    if (single >= 0) {
      ink = inks[single][channel];
    } else if (busy > 0) {
      for (let m = 0; m < 4; m++) {
        ink += inks[m][channel] * (sums[m] / hits / busy);
      }
    }
    data[at + channel] = idle[channel] * (left - depth) + ink * depth;
  }
  data[at + 3] = 255;
}

/**
 * Lays out rows in the order of nodes. Rows are lower if there are many cores. Nodes have headers if there are several.
 */
function layOut(cores) {
  const rowHeight = cores.length <= 4 ? 26 : cores.length <= 12 ? 20 : cores.length <= 32 ? 16 : cores.length <= 64 ? 10 : cores.length <= 160 ? 6 : 3;
  const gap = rowHeight >= 6 ? 1 : 0;
  const nodes = [...new Set(cores.map((core) => core.node ?? 0))].sort((a, b) => a - b);
  const layout = {list: [], nodes: [], rowHeight, height: 0};
  for (const node of nodes) {
    if (nodes.length > 1) {
      layout.nodes.push({node, top: layout.height});
      layout.height += NODE_HEIGHT;
    }
    const own = cores.filter((core) => (core.node ?? 0) === node).sort((a, b) => a.core - b.core);
    for (const core of own) {
      layout.list.push({core: core.core, top: layout.height, height: rowHeight - gap});
      layout.height += rowHeight;
    }
  }
  return layout;
}
