// The samples of the last 15 minutes, oldest first, and values derived from several of them. The page has no other
// memory.
//
// A sample is what `/api/live` sends once a second. Times are those of the server. If its clock is set back, samples
// with later times are discarded, so that the newest sample is always the one that arrived last.

import {isNumber} from './format.js';

export const KEPT_MS = 15 * 60 * 1000;

/** A longer gap is shown as a gap. Up to this length the sampler was only late. */
export const GAP_MS = 2500;

export class Store {
  constructor() {
    this.samples = [];
    /** The last state of every session, by a key that stays unique if an id is reused. */
    this.sessions = new Map();
    this.epochs = new Map();
  }

  get newest() {
    return this.samples.length === 0 ? null : this.samples[this.samples.length - 1];
  }

  /** Adds a live sample. */
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

  /** Adds samples from the server's history that this page has missed. */
  fill(history) {
    const times = new Set(this.samples.map((sample) => sample.t));
    const missed = history.filter((sample) => isSample(sample) && !times.has(sample.t));
    const all = [...this.samples, ...missed].sort((a, b) => a.t - b.t);
    this.samples = [];
    this.sessions.clear();
    this.epochs.clear();
    all.forEach((sample) => this.add(sample));
  }

  /** Replaces all samples, to show another part of a recording. */
  replace(history) {
    this.samples = [];
    this.fill(history);
  }

  /** Returns a copy of the current state, for a paused page. */
  copy() {
    const copy = new Store();
    copy.samples = [...this.samples];
    copy.sessions = new Map([...this.sessions].map(([key, known]) => [key, {...known}]));
    return copy;
  }

  /** Returns the samples of the last `seconds` seconds. */
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

  /** Returns the sample nearest to a time, or null if the time is in a gap. */
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
      // Fewer bytes under the same id, or after a sample without it, mean another session: the server was restarted.
      if (last !== undefined && (session.bytes < last.session.bytes || (last.over && !session.ended))) {
        last.over = true;
        epoch++;
        this.epochs.set(session.session, epoch);
      }
      const key = `${session.session}#${epoch}`;
      const before = this.sessions.get(key);
      const first = before?.first ?? sample.t;
      this.sessions.set(key, {session, first, seen: sample.t, over: session.ended === true});
    }
    for (const known of this.sessions.values()) {
      known.over ||= known.seen < sample.t;
    }
  }
}

/** Returns how a core spent its second: four parts of work, their sum, and I/O wait. An unknown part counts as 0. */
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
