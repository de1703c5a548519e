// A running session has a card: progress, rate, and the bottleneck in words. An ended session has a line for as long as
// the page keeps its data. Both can be saved as a report.

import {ABSENT, bytes, count, duration, isNumber, percent, rate, sentence} from './format.js';
import {save} from './report.js';
import {Rows} from './rows.js';
import {end, mean, outcome, seconds, wholeVerdict} from './session.js';

const MEAN_OVER_SECONDS = 10;

/** For a limit that arrives without a sentence. */
const LIMITS = {
  'rate-limit': 'The rate limit is the bottleneck.',
  'source-disk': 'Reading from the source disk is the bottleneck.',
  'sender-cpu': 'The sender’s CPU is the bottleneck.',
  'receiver-cpu': 'The receiver’s CPU is the bottleneck.',
  'sender-foreign-load': 'The sender’s cores are the bottleneck: other programs use them.',
  'receiver-foreign-load': 'The receiver’s cores are the bottleneck: other programs use them.',
  'target-disk': 'Writing to the target disk is the bottleneck.',
  network: 'The network, or the receiver behind it, is the bottleneck.',
  idle: 'The lanes are waiting for work.',
};

export class Sessions {
  constructor(place, ended, empty) {
    this.place = place;
    this.ended = ended;
    this.empty = empty;
    this.cards = new Map();
    this.store = null;
    this.rows = new Rows(ended, 'Ended sessions', [
      {name: 'Session', text: ({session}) => title(session), sort: end, head: true},
      {name: 'Outcome', text: ({session}) => outcome(session), sort: ({session}) => session.exit_code ?? -1,
        title: 'Its exit code and reason, if it did not succeed', warn: ({session}) => session.exit_code > 0},
      {name: 'Verdict', text: ({session}) => wholeVerdict(session) ?? ABSENT, title: 'The bottleneck of the whole session'},
      {name: 'Duration', text: (row) => duration(seconds(row)), value: seconds, sort: seconds, number: true},
      {name: 'Mean rate', text: (row) => rate(mean(row)), value: mean, sort: mean, number: true},
      {name: 'Moved', text: ({session}) => bytes(session.bytes_durable), value: ({session}) => session.bytes_durable, sort: ({session}) => session.bytes_durable,
        title: 'Durable at the target, without what was there before', number: true},
      {name: 'Files', text: ({session}) => count(session.files), value: ({session}) => session.files, sort: ({session}) => session.files, number: true},
      {name: 'Request', text: ({session}) => session.purpose || ABSENT, sort: ({session}) => session.purpose},
      {name: 'Key', text: ({session}) => session.key || ABSENT, sort: ({session}) => session.key},
      {name: 'Report', text: () => 'Save', action: (row) => save(this.store, row), label: ({session}) => `Save the report of ${session.session}`},
    ]);
  }

  /** The history is here, so that a page without sessions means that there are none. */
  loaded() {
    this.empty.textContent = 'No session is running.';
  }

  draw(store) {
    this.store = store;
    const known = [...store.sessions].map(([key, row]) => ({...row, key})).sort((a, b) => end(b) - end(a) || a.first - b.first);
    const running = known.filter((row) => !row.over);
    const over = known.filter((row) => row.over);
    const present = new Set(running.map(({key}) => key));
    for (const [key, card] of this.cards) {
      if (!present.has(key)) {
        card.root.remove();
        this.cards.delete(key);
      }
    }
    running.forEach((row, index) => {
      if (!this.cards.has(row.key)) {
        this.cards.set(row.key, makeCard(row.session, () => save(this.store, this.running.get(row.key))));
      }
      const card = this.cards.get(row.key);
      if (this.place.children[index] !== card.root) {
        this.place.insertBefore(card.root, this.place.children[index] ?? null);
      }
      fillCard(card, row.session, meanRate(store, row.session.session, row.seen));
    });
    this.running = new Map(running.map((row) => [row.key, row]));
    this.place.hidden = running.length === 0;
    this.rows.show(over);
    this.ended.parentElement.hidden = over.length === 0;
    this.empty.hidden = running.length > 0;
  }
}

function title(session) {
  return `${session.session} · ${session.service} ${session.direction === 'out' ? 'to' : 'from'} ${session.peer ?? 'a peer'}`;
}

/** A mean over some seconds, so that the remaining time does not jump. */
function meanRate(store, id, seen) {
  const rates = store.within(MEAN_OVER_SECONDS)
      .filter((sample) => sample.t <= seen)
      .map((sample) => (sample.sessions ?? []).find((session) => session.session === id)?.bytes_s)
      .filter(isNumber);
  return rates.length === 0 ? null : rates.reduce((a, b) => a + b, 0) / rates.length;
}

function makeCard(session, onSave) {
  const root = element('article', 'panel session');
  root.dataset.session = session.session;
  const heading = element('h3');
  const button = element('button', 'small');
  button.type = 'button';
  button.textContent = 'Save report';
  button.setAttribute('aria-label', `Save report of ${session.session}`);
  button.addEventListener('click', onSave);
  const progress = document.createElement('progress');
  const facts = element('dl', 'facts');
  const card = {root, heading, progress, values: new Map(), file: element('p', 'file'), verdict: element('p', 'verdict'),
    lanes: element('p', 'lanes'), who: element('p', 'who')};
  root.append(heading, button, card.who, card.file, progress, facts, card.verdict, card.lanes);
  for (const name of ['rate', 'done', 'durable', 'files', 'left', 'resent']) {
    const data = document.createElement('data');
    data.dataset.figure = name;
    const place = element('dd');
    place.append(data);
    const term = element('dt');
    term.textContent = {rate: 'Rate', done: 'Done', durable: 'Durable', files: 'Files', left: 'Time left', resent: 'Chunks resent'}[name];
    const pair = element('div');
    pair.append(term, place);
    facts.append(pair);
    card.values.set(name, data);
  }
  return card;
}

function fillCard(card, session, meanNow) {
  setText(card.heading, title(session));
  card.root.dataset.direction = session.direction;
  card.root.dataset.limit = session.limit ?? '';
  card.who.hidden = !session.purpose;
  setText(card.who, session.key ? `${session.purpose}, key ${session.key}` : session.purpose ?? '');
  setText(card.file, session.file ?? '');
  card.file.title = session.file ?? '';
  const total = session.bytes_total;
  const share = isNumber(total) && total > 0 ? Math.min(1, session.bytes / total) : null;
  card.progress.hidden = share === null;
  if (share !== null) {
    card.progress.value = share;
    card.progress.setAttribute('aria-label', `Progress of ${session.session}: ${percent(share)}`);
  }
  put(card, 'rate', session.bytes_s, rate(session.bytes_s));
  put(card, 'durable', session.bytes_durable, bytes(session.bytes_durable));
  put(card, 'done', session.bytes, isNumber(total) ? `${bytes(session.bytes)} of ${bytes(total)}` : bytes(session.bytes));
  put(card, 'files', session.files, isNumber(session.files_total)
      ? `${count(session.files)} of ${count(session.files_total)}` : count(session.files));
  const left = share !== null && meanNow > 0 ? (total - session.bytes) / meanNow : null;
  put(card, 'left', left, left === null ? ABSENT : duration(left));
  put(card, 'resent', session.chunks_resent, count(session.chunks_resent));
  card.values.get('resent').closest('div').hidden = !(session.chunks_resent > 0);
  setText(card.verdict, sentence(session.verdict) ?? LIMITS[session.limit] ?? 'No bottleneck found yet.');
  card.lanes.hidden = !session.lanes;
  setText(card.lanes, sentence(session.lanes) ?? '');
}

function put(card, name, value, text) {
  const data = card.values.get(name);
  data.value = value ?? '';
  setText(data, text);
}

function element(tag, className = '') {
  const made = document.createElement(tag);
  made.className = className;
  return made;
}

function setText(node, text) {
  if (node.textContent !== text) {
    node.textContent = text;
  }
}
