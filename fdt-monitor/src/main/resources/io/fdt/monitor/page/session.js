// What a session was, for its line on the page and for its report.

import {ABSENT, count, sentence} from './format.js';

/** When the session ended; the last sample of it if that is not known. */
export function end({session, seen}) {
  return session.end ?? seen;
}

/** From the start of the session to its end, or to the last sample. */
export function seconds(row) {
  return Math.max(0, end(row) - row.session.start) / 1000;
}

export function mean(row) {
  return seconds(row) > 0 ? row.session.bytes_durable / seconds(row) : null;
}

/** The bottleneck of an ended session, in words; null if it failed, or if its end was not seen. */
export function wholeVerdict(session) {
  return session.ended && !(session.exit_code > 0) ? sentence(session.verdict) : null;
}

/** How a session ended, in words. */
export function outcome(session) {
  if (!session.outcome) {
    return ABSENT;
  }
  if (session.outcome === 'ok') {
    return 'ok';
  }
  const failed = session.files_failed > 0 ? `, ${count(session.files_failed)} files failed` : '';
  return `${session.outcome}, exit code ${session.exit_code}${failed}${session.reason ? `: ${session.reason}` : ''}`;
}
