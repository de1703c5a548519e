// A report of one session as a self-contained page without scripts and external resources: what the session was, its
// rate over time, and the samples, for example to send by mail.

import {mean, outcome, seconds, wholeVerdict} from './session.js';
import {ABSENT, bytes, clock, count, duration, isNumber, rate, sentence} from './format.js';

const WIDTH = 860;
const HEIGHT = 200;

/** Lets the user save the report. */
export function save(store, row) {
  const {session, first, seen} = row;
  const samples = store.samples.filter((sample) => sample.t >= first && sample.t <= seen);
  const points = samples
      .map((sample) => [sample.t, (sample.sessions ?? []).find((one) => one.session === session.session)?.bytes_s])
      .filter(([, value]) => isNumber(value));
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([page(store.newest.host, row, points)], {type: 'text/html'}));
  link.download = `fdt-${session.session}-${new Date(first).toISOString().slice(0, 19).replace(/[:T]/g, '-')}.html`;
  link.click();
  URL.revokeObjectURL(link.href);
}

function page(host, row, points) {
  const {session, seen, over} = row;
  const until = session.end ?? seen;
  const facts = [
    ['Host', host ?? ABSENT],
    ['Session', `${session.session}, ${session.service} ${session.direction === 'out' ? 'to' : 'from'} ${session.peer ?? 'a peer'}`],
    ['Request', session.purpose || ABSENT],
    ['Key', session.key || ABSENT],
    ['Outcome', outcome(session)],
    ['Last file', session.file ?? ABSENT],
    ['Time', `${new Date(session.start).toISOString()} to ${new Date(until).toISOString()}, ${duration(seconds(row))}${over ? '' : ', still running'}`],
    ['Mean rate', rate(mean(row))],
    ['Peak rate', rate(points.reduce((most, [, value]) => Math.max(most, value), 0))],
    ['Moved', isNumber(session.bytes_total) ? `${bytes(session.bytes)} of ${bytes(session.bytes_total)}` : bytes(session.bytes)],
    ['Files', isNumber(session.files_total) ? `${count(session.files)} of ${count(session.files_total)}` : count(session.files)],
    ['Chunks resent', count(session.chunks_resent)],
    ['Lanes', session.lanes ?? ABSENT],
    ['Verdict', (over ? wholeVerdict(session) : sentence(session.verdict)) ?? ABSENT],
  ];
  const rows = facts.map(([name, value]) => `<tr><th>${escaped(name)}</th><td>${escaped(value)}</td></tr>`).join('\n');
  const samples = points.map(([t, value]) => `<tr><td>${new Date(t).toISOString()}</td><td>${Math.round(value)}</td></tr>`).join('\n');
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>fdt ${escaped(session.session)}</title>
<style>body{font:15px/1.5 system-ui,sans-serif;max-width:${WIDTH}px;margin:2em auto;color:#17212b}th{text-align:left;padding-right:2em}
td{font-variant-numeric:tabular-nums}svg{width:100%}</style>
<h1>fdt session ${escaped(session.session)}</h1>
<table>${rows}</table>
<h2>Rate</h2>
${chart(points)}
<details><summary>Samples</summary><table><tr><th>Time</th><th>Bytes a second</th></tr>${samples}</table></details>
</html>
`;
}

function chart(points) {
  if (points.length < 2) {
    return '<p>Too short for a chart.</p>';
  }
  const [from, to] = [points[0][0], points[points.length - 1][0]];
  const top = Math.max(1, ...points.map(([, value]) => value));
  const line = points.map(([t, value]) =>
      `${(WIDTH * (t - from) / (to - from)).toFixed(1)},${(HEIGHT * (1 - value / top)).toFixed(1)}`).join(' ');
  return `<p>${rate(top)} at the top; ${clock(from)} to ${clock(to)}</p>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Rate over time"><rect width="${WIDTH}" height="${HEIGHT}" fill="#f4f6f8"/>
<polyline points="${line}" fill="none" stroke="#1f66c1" stroke-width="1.5"/></svg>`;
}

/** The name of a peer is text, whatever characters it contains. */
function escaped(text) {
  return String(text).replace(/[&<>"]/g, (c) => ({'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;'})[c]);
}
