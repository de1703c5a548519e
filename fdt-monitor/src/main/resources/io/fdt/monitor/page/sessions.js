// A card a session: how far it is, how fast, and what holds it back, in words. Sessions that ended stay, paler, for as
// long as the page remembers.

import {ABSENT, bytes, count, duration, isNumber, percent, rate} from './format.js';

const MEAN_OVER_SECONDS = 10;

/** For a limit that came without a sentence. */
const LIMITS = {
  'rate-limit': 'The rate limit that was asked for holds it back.',
  'source-disk': 'Reading from the source’s disk holds it back.',
  'sender-cpu': 'The sender’s processor holds it back.',
  'receiver-cpu': 'The receiver’s processor holds it back.',
  'target-disk': 'Writing to the target’s disk holds it back.',
  network: 'The network between the two ends, or what is behind it, holds it back.',
  idle: 'Its lanes wait for work.',
};

export class Sessions {
  constructor(place, empty) {
    this.place = place;
    this.empty = empty;
    this.cards = new Map();
  }

  draw(store) {
    const known = [...store.sessions].sort(([, a], [, b]) => a.over - b.over || b.seen - a.seen);
    const present = new Set(known.map(([key]) => key));
    for (const [key, card] of this.cards) {
      if (!present.has(key)) {
        card.root.remove();
        this.cards.delete(key);
      }
    }
    known.forEach(([key, {session, over, seen}], index) => {
      if (!this.cards.has(key)) {
        this.cards.set(key, makeCard(session));
      }
      const card = this.cards.get(key);
      if (this.place.children[index] !== card.root) {
        this.place.insertBefore(card.root, this.place.children[index] ?? null);
      }
      fillCard(card, session, over, over ? null : meanRate(store, session.session, seen));
    });
    this.empty.hidden = known.length > 0;
  }
}

/** Over some seconds, so that the time left does not jump. */
function meanRate(store, id, seen) {
  const rates = store.within(MEAN_OVER_SECONDS)
      .filter((sample) => sample.t <= seen)
      .map((sample) => (sample.sessions ?? []).find((session) => session.session === id)?.bytes_s)
      .filter(isNumber);
  return rates.length === 0 ? null : rates.reduce((a, b) => a + b, 0) / rates.length;
}

function makeCard(session) {
  const root = element('article', 'panel session');
  root.dataset.session = session.session;
  const title = element('h3');
  const progress = document.createElement('progress');
  const facts = element('dl', 'facts');
  const card = {root, title, progress, values: new Map(), verdict: element('p', 'verdict')};
  root.append(title, progress, facts, card.verdict);
  for (const name of ['rate', 'moved', 'files', 'left', 'resent']) {
    const data = document.createElement('data');
    data.dataset.figure = name;
    const place = element('dd');
    place.append(data);
    const term = element('dt');
    term.textContent = {rate: 'Rate', moved: 'Moved', files: 'Files', left: 'Time left', resent: 'Chunks resent'}[name];
    const pair = element('div');
    pair.append(term, place);
    facts.append(pair);
    card.values.set(name, data);
  }
  return card;
}

function fillCard(card, session, over, mean) {
  const outward = session.direction === 'out';
  setText(card.title, `${session.session} · ${session.service} ${outward ? 'to' : 'from'} ${session.peer ?? 'a peer'}`);
  card.root.dataset.direction = session.direction;
  card.root.classList.toggle('over', over);
  const total = session.bytes_total;
  const share = isNumber(total) && total > 0 ? Math.min(1, session.bytes / total) : null;
  card.progress.hidden = share === null;
  if (share !== null) {
    card.progress.value = share;
    card.progress.setAttribute('aria-label', `Progress of ${session.session}: ${percent(share)}`);
  }
  put(card, 'rate', over ? null : session.bytes_s, over ? 'ended' : rate(session.bytes_s));
  put(card, 'moved', session.bytes, isNumber(total) ? `${bytes(session.bytes)} of ${bytes(total)}` : bytes(session.bytes));
  put(card, 'files', session.files, isNumber(session.files_total)
      ? `${count(session.files)} of ${count(session.files_total)}` : count(session.files));
  const left = share !== null && mean > 0 ? (total - session.bytes) / mean : null;
  put(card, 'left', left, over || left === null ? ABSENT : duration(left));
  put(card, 'resent', session.chunks_resent, count(session.chunks_resent));
  card.values.get('resent').classList.toggle('warn', session.chunks_resent > 0);
  setText(card.verdict, over ? lastWord(session) : sentence(session.verdict) ?? LIMITS[session.limit] ?? 'Nothing holds it back that could be named.');
}

function lastWord(session) {
  const verdict = sentence(session.verdict);
  return verdict === null ? 'Ended.' : `Ended. ${verdict}`;
}

/** With a capital and a full stop; null for none. */
function sentence(words) {
  return words ? words[0].toUpperCase() + words.slice(1) + (/[.!?]$/.test(words) ? '' : '.') : null;
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
