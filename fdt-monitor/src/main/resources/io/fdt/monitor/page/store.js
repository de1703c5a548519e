// The last 15 minutes of samples, oldest first, and what several of them say together. It is the page's only memory.
//
// A sample is what `/api/live` sends once a second. Times are the server's: a clock that was set back throws away
// what lies in its future, so that the newest sample is always the one that came last.

import {isNumber} from './format.js';

export const KEPT_MS = 15 * 60 * 1000;

/** A hole longer than this is shown as one; up to here the sampler was only late. */
export const GAP_MS = 2500;

export class Store {
  constructor() {
    this.samples = [];
    /** The last that was heard of every session, by a key that a reused id does not repeat. */
    this.sessions = new Map();
    this.epochs = new Map();
  }

  get newest() {
    return this.samples.length === 0 ? null : this.samples[this.samples.length - 1];
  }

  /** Takes a sample that came live. */
  add(sample) {
    if (!isSample(sample)) {
      return;
    }
    while (this.newest !== null && this.newest.t >= sample.t) {
      this.samples.pop();
    }
    this.samples.push(sample);
    const oldest = sample.t - KEPT_MS;
    let drop = 0;
    while (this.samples[drop].t < oldest) {
      drop++;
    }
    this.samples.splice(0, drop);
    this.remember(sample);
    for (const [key, known] of this.sessions) {
      if (known.seen < oldest) {
        this.sessions.delete(key);
      }
    }
  }

  /** Puts in what the server remembers and this page missed. */
  fill(history) {
    const times = new Set(this.samples.map((sample) => sample.t));
    const missed = history.filter((sample) => isSample(sample) && !times.has(sample.t));
    const all = [...this.samples, ...missed].sort((a, b) => a.t - b.t);
    this.samples = [];
    this.sessions.clear();
    this.epochs.clear();
    all.forEach((sample) => this.add(sample));
  }

  /** Forgets everything for another part of a recording. */
  replace(history) {
    this.samples = [];
    this.fill(history);
  }

  /** As it is now, for a reader who wants it to stand still. */
  copy() {
    const copy = new Store();
    copy.samples = [...this.samples];
    copy.sessions = new Map([...this.sessions].map(([key, known]) => [key, {...known}]));
    return copy;
  }

  /** The samples of the last so many seconds. */
  within(seconds) {
    if (this.newest === null) {
      return [];
    }
    const from = this.newest.t - seconds * 1000;
    let first = this.samples.length;
    while (first > 0 && this.samples[first - 1].t > from) {
      first--;
    }
    return this.samples.slice(first);
  }

  /** The sample nearest to a time; null where there is a hole. */
  at(timeMs) {
    let best = null;
    for (const sample of this.samples) {
      if (best === null || Math.abs(sample.t - timeMs) < Math.abs(best.t - timeMs)) {
        best = sample;
      }
    }
    return best !== null && Math.abs(best.t - timeMs) < GAP_MS ? best : null;
  }

  remember(sample) {
    for (const session of sample.sessions ?? []) {
      let epoch = this.epochs.get(session.session) ?? 0;
      const last = this.sessions.get(`${session.session}#${epoch}`);
      // The same id with fewer bytes is another session: the server was restarted.
      if (last !== undefined && (session.bytes < last.session.bytes || (last.session.ended && !session.ended))) {
        last.over = true;
        epoch++;
        this.epochs.set(session.session, epoch);
      }
      const key = `${session.session}#${epoch}`;
      const before = this.sessions.get(key);
      const {first, firstBytes} = before ?? {first: sample.t, firstBytes: session.bytes};
      // What has ended has no verdict any more: the last one stays.
      const verdict = session.verdict ?? before?.session.verdict;
      this.sessions.set(key, {session: {...session, verdict}, first, firstBytes, seen: sample.t, over: session.ended === true});
    }
    for (const known of this.sessions.values()) {
      known.over ||= known.seen < sample.t;
    }
  }
}

/** What of a core's second was work, in four parts and their sum; null when nothing is known of it. */
export function parts(core) {
  const share = (name) => (isNumber(core[name]) ? Math.min(1, Math.max(0, core[name])) : 0);
  const user = share('user') + share('nice');
  const system = share('system');
  const softirq = share('softirq') + share('irq');
  const steal = share('steal');
  return {user, system, softirq, steal, iowait: share('iowait'), busy: Math.min(1, user + system + softirq + steal)};
}

function isSample(sample) {
  return sample !== null && typeof sample === 'object' && isNumber(sample.t) && Array.isArray(sample.cores);
}
