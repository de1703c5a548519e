// Five figures at a glance. A tile with a warning gives the reason in words. Its colour only repeats it.

import {count, isNumber, percent, rate} from './format.js';
import {parts} from './store.js';

const HOT = 0.9;
const RETRANSMITS_OVER_SECONDS = 10;

const TILES = [
  {name: 'Sending', of: (sample) => moving(sample, 'out')},
  {name: 'Receiving', of: (sample) => moving(sample, 'in')},
  {name: 'Busiest core', of: (sample) => hottest(sample, 'busy')},
  {name: 'Most softirq', of: (sample) => hottest(sample, 'softirq')},
  {name: 'Retransmits', of: retransmitted},
];

export class Tiles {
  constructor(place) {
    this.tiles = TILES.map(({name, of}) => {
      const box = document.createElement('div');
      const term = document.createElement('dt');
      term.textContent = name;
      const figure = document.createElement('dd');
      const data = document.createElement('data');
      figure.append(data);
      const more = document.createElement('dd');
      more.className = 'more';
      box.append(term, figure, more);
      place.append(box);
      return {of, box, data, more};
    });
  }

  draw(store) {
    for (const {of, box, data, more} of this.tiles) {
      const {value, text, note, warn} = of(store.newest, store);
      data.value = value ?? '';
      data.textContent = text;
      more.textContent = note;
      box.classList.toggle('warn', warn === true);
    }
  }
}

function moving(sample, direction) {
  const sessions = (sample.sessions ?? []).filter((session) => session.direction === direction && !session.ended);
  const lanes = (sample.lanes ?? []).filter((lane) => lane.direction === direction).length;
  const value = sessions.reduce((sum, session) => sum + (session.bytes_s ?? 0), 0);
  const note = sessions.length === 0 ? 'no session' : `${plural(sessions.length, 'session')}, ${plural(lanes, 'lane')}`;
  return {value, text: rate(value), note};
}

function hottest(sample, part) {
  if (sample.cores.length === 0) {
    return {value: null, text: '–', note: 'unknown'};
  }
  const core = sample.cores.reduce((a, b) => (parts(b)[part] > parts(a)[part] ? b : a));
  const value = parts(core)[part];
  return {
    value,
    text: percent(value),
    note: value >= HOT ? `core ${core.core} is full` : `core ${core.core} of ${sample.cores.length}`,
    warn: value >= HOT,
  };
}

/** Counts retransmissions of the last seconds. A lane that is missing in the earlier sample counts with its total. */
function retransmitted(sample, store) {
  const lanes = (sample.lanes ?? []).filter((lane) => isNumber(lane.retransmits));
  if (lanes.length === 0) {
    return {value: null, text: '–', note: 'not reported'};
  }
  const before = new Map((store.within(RETRANSMITS_OVER_SECONDS)[0].lanes ?? [])
      .map((lane) => [`${lane.session}/${lane.lane}/${lane.direction}`, lane.retransmits]));
  const value = lanes.reduce((sum, lane) => {
    const then = before.get(`${lane.session}/${lane.lane}/${lane.direction}`);
    return sum + (isNumber(then) ? Math.max(0, lane.retransmits - then) : lane.retransmits);
  }, 0);
  return {value, text: count(value), note: `in ${RETRANSMITS_OVER_SECONDS} seconds`, warn: value > 0};
}

function plural(number, word) {
  return `${number} ${word}${number === 1 ? '' : 's'}`;
}
