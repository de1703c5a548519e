// A report of one session as a self-contained page without scripts and external resources: what the session was, its
// rate over time, and the samples, for example to send by mail.

import {mean, outcome, seconds, wholeVerdict} from './session.js';
import {ABSENT, bytes, count, duration, isNumber, rate, sentence} from './format.js';
import {niceCeiling, rateTicks} from './linechart.js';
import {drawCurve, drawTicksBeside, drawTimeAxis, xOf} from './plot.js';
import {SvgPen, saveFile, standalone} from './svgpen.js';

const WIDTH = 860;
const HEIGHT = 200;

/** Lets the user save the report. */
export function save(store, row) {
  const {session, first, seen} = row;
  const samples = store.samples.filter((sample) => sample.t >= first && sample.t <= seen);
  const points = samples
      .map((sample) => [sample.t, (sample.sessions ?? []).find((one) => one.session === session.session)?.bytes_s])
      .filter(([, value]) => isNumber(value));
  const name = `fdt-${session.session}-${new Date(first).toISOString().slice(0, 19).replace(/[:T]/g, '-')}.html`;
  saveFile(name, 'text/html', page(store.newest.host, row, points));
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
    ['Done', isNumber(session.bytes_total) ? `${bytes(session.bytes)} of ${bytes(session.bytes_total)}` : bytes(session.bytes)],
    ['Durable', bytes(session.bytes_durable)],
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
  const top = niceCeiling(Math.max(1, ...points.map(([, value]) => value)));
  const seconds = (to - from) / 1000;
  const pen = new SvgPen(WIDTH, HEIGHT, 'Rate over time');
  const area = {left: 74, top: 8, width: WIDTH - 96, height: HEIGHT - 34};
  drawTicksBeside(pen, area, rateTicks(top));
  drawTimeAxis(pen, area, to, seconds);
  const places = points.map(([t, value]) => [xOf(t, area, to, seconds), area.top + area.height * (1 - value / top)]);
  drawCurve(pen, places, 'line0', []);
  // The page of a report is light, whatever the scheme of this one.
  const place = document.createElement('div');
  place.hidden = true;
  place.style.colorScheme = 'light';
  place.style.background = 'var(--panel)';
  place.append(pen.svg);
  document.body.append(place);
  const picture = standalone(pen.svg);
  place.remove();
  return picture;
}

/** The name of a peer is text, whatever characters it contains. */
function escaped(text) {
  return String(text).replace(/[&<>"]/g, (c) => ({'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;'})[c]);
}
