// Connects the feed to the store and the store to the views. The page is drawn at most once a frame, and only from the
// store. While the user has paused the page, the store keeps filling and nothing is drawn.

import {Feed} from './feed.js';
import {clock, count, duration} from './format.js';
import {HeatMap} from './heatmap.js';
import {LineChart} from './linechart.js';
import {onSchemeChange} from './palette.js';
import {cursor} from './plot.js';
import {Replay} from './replay.js';
import {Sessions} from './sessions.js';
import {KEPT_MS, Store} from './store.js';
import {coreTable, laneTable, nicTable, queueTable, rootTable} from './tables.js';
import {Tiles} from './tiles.js';

const byId = (id) => document.getElementById(id);
const store = new Store();
const view = {seconds: 300, mode: 'all', paused: false, frozen: null, peerHost: null};

const tiles = new Tiles(byId('tiles'));
const sessions = new Sessions(byId('sessions'), byId('ended'), byId('sessions-empty'));
const sessionRates = new LineChart(byId('session-rates'), 'Sessions', (sample) => (sample.sessions ?? [])
    .filter((session) => !session.ended)
    .map((session) => [session.session, `${session.session} ${session.direction}`, session.bytes_s, numberOf(session)]), true);
const nicRates = new LineChart(byId('nic-rates'), 'Network interfaces', (sample) => (sample.nics ?? []).flatMap((nic, index) => [
  [`${nic.nic} in`, `${nic.nic} in`, nic.rx_bytes_s, 2 * index],
  [`${nic.nic} out`, `${nic.nic} out`, nic.tx_bytes_s, 2 * index + 1],
]), false);
const heatHere = new HeatMap(byId('cores-here'), 'This end', (sample) => sample.cores);
const heatThere = new HeatMap(byId('cores-there'), 'Remote end', (sample) => peerOf(sample)?.cores);
const coresHere = coreTable(byId('cores-here'), 'This end');
const coresThere = coreTable(byId('cores-there'), 'Remote end');
const lanes = laneTable(byId('lanes'));
const nics = nicTable(byId('nics'));
const queues = queueTable(byId('queues'));
const roots = rootTable(byId('roots'));

/** Returns the number in a session's name, such as s12. */
function numberOf(session) {
  return Number(session.session.slice(1)) || 0;
}

/** Returns the remote end that the user selected, or the first one. */
function peerOf(sample) {
  return Object.values(sample.peers ?? {}).find((peer) => view.peerHost === null || peer.host === view.peerHost);
}

let asked = false;

function redraw() {
  if (!asked) {
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      draw();
    });
  }
}

/** Returns the data to draw: the current store, or its state when the page was paused. */
function drawn() {
  return view.frozen ?? store;
}

function draw() {
  const from = drawn();
  if (from.newest === null) {
    return;
  }
  const now = from.newest;
  byId('host').textContent = [now.host, now.role].filter(Boolean).join(' · ');
  document.title = now.host ? `${now.host} – fdt` : 'fdt monitor';
  choosePeers(from);
  tiles.draw(from);
  sessions.draw(from);
  sessionRates.draw(from, view.seconds);
  nicRates.draw(from, view.seconds);
  heatHere.draw(from, view.seconds, view.mode);
  coresHere(now.cores);
  if (!byId('cores-there').hidden) {
    heatThere.draw(from, view.seconds, view.mode);
    coresThere(heatThere.latestCores(from) ?? []);
  }
  lanes(now.lanes ?? []);
  byId('lanes').hidden = (now.lanes ?? []).length === 0;
  byId('lanes-empty').hidden = !byId('lanes').hidden;
  nics([
    ...(now.nics ?? []).map((nic) => ({...nic, host: now.host})),
    ...remoteEnds(now).flatMap((peer) => (peer.nics ?? []).map((nic) => ({...nic, host: peer.host}))),
  ]);
  queues(now.queues ?? []);
  byId('queues').hidden = (now.queues ?? []).length === 0;
  byId('queues-empty').hidden = !byId('queues').hidden;
  roots(now.roots ?? []);
  byId('roots-section').hidden = (now.roots ?? []).length === 0;
}

/** Returns the remote ends, with each host once. */
function remoteEnds(sample) {
  return [...new Map(Object.values(sample.peers ?? {}).map((peer) => [peer.host, peer])).values()];
}

/** Offers the hosts that sent samples within the visible time, and shows the panel if there is one. */
function choosePeers(from) {
  const hosts = new Set(from.within(view.seconds).flatMap((sample) => remoteEnds(sample).map((peer) => peer.host)));
  byId('cores-there').hidden = hosts.size === 0;
  byId('cores').classList.toggle('two', hosts.size > 0);
  const names = [...hosts].sort();
  const select = byId('peer');
  if ([...select.options].map((option) => option.value).join('\n') !== names.join('\n')) {
    select.replaceChildren(...names.map((name) => new Option(name, name)));
  }
  if (names.length > 0 && !hosts.has(view.peerHost)) {
    view.peerHost = names[0];
  }
  select.value = view.peerHost ?? '';
  byId('peer-pick').hidden = names.length < 2;
  byId('cores-there').querySelector('figcaption').textContent =
      names.length === 0 ? 'Remote end' : `Remote end: ${view.peerHost}`;
}

// --- user actions ---

byId('window').addEventListener('change', (event) => {
  view.seconds = Number(event.target.value);
  redraw();
});
byId('mode').addEventListener('change', (event) => {
  view.mode = event.target.value;
  redraw();
});
byId('peer').addEventListener('change', (event) => {
  view.peerHost = event.target.value;
  redraw();
});
byId('pause').addEventListener('click', () => {
  view.paused = !view.paused;
  view.frozen = view.paused ? store.copy() : null;
  byId('pause').setAttribute('aria-pressed', String(view.paused));
  byId('pause').textContent = view.paused ? 'Resume' : 'Pause';
  document.body.classList.toggle('paused', view.paused);
  redraw();
});

cursor.listeners.push(redraw);
onSchemeChange(redraw);
new ResizeObserver(redraw).observe(byId('content'));

// --- state of the server ---

/** When the connection was lost, the time of the newest sample then, and whether another process responds now. */
let lostAt = null;
let lastHeard = Infinity;
let startedAnew = false;

/** Whether the history starts after the page's last sample for a reason other than the limit of 15 minutes. */
function isAnotherProcess(history) {
  const first = history[0]?.t;
  const last = history[history.length - 1]?.t;
  return first > lastHeard && last - first < KEPT_MS - 10000;
}

function say(state) {
  const status = byId('status');
  status.dataset.state = state;
  if (state === 'lost') {
    if (lostAt === null) {
      lostAt = Date.now();
      lastHeard = store.newest?.t ?? Infinity;
    }
    status.textContent = `Connection lost at ${clock(lostAt)}, reconnecting`;
  } else if (state === 'refused') {
    status.textContent = 'Access denied: open this page once with ?token=…';
  } else if (state === 'live') {
    status.textContent = lostAt === null ? 'Live'
        : `Live again since ${clock(Date.now())}${startedAnew ? '; the server was restarted' : ''}`;
    lostAt = null;
    startedAnew = false;
  }
  if (state === 'live') {
    sessions.loaded();
  }
  document.body.classList.toggle('stale', state !== 'live');
}

/** Returns the facts about the host or the recording. Empty if the server does not respond. */
async function facts() {
  try {
    const answer = await fetch('api/host', {cache: 'no-store'});
    return answer.ok ? await answer.json() : {};
  } catch {
    // The facts are optional. The connection state reports connection problems.
    return {};
  }
}

function describeHost(host) {
  const note = byId('cores-note');
  note.hidden = host.irq_time_accounting !== false;
  note.textContent = 'This kernel was built without CONFIG_IRQ_TIME_ACCOUNTING, so it only samples softirq shares at the timer tick.';
}

function watch() {
  new Feed({
    onSample: (sample) => {
      store.add(sample);
      if (!view.paused) {
        redraw();
      }
    },
    onHistory: async (history) => {
      startedAnew = lostAt !== null && isAnotherProcess(history);
      store.fill(history);
      if (!view.paused) {
        redraw();
      }
      describeHost(await facts());
    },
    onState: say,
  }).start();
}

function replay(recording) {
  byId('pause').hidden = true;
  const status = byId('status');
  status.dataset.state = 'replay';
  status.textContent = `Recording of ${duration((recording.until - recording.from) / 1000)}, ${count(recording.samples)} samples`
      + (recording.damaged_bytes > 0 ? '; its damaged end is left out' : '');
  new Replay(byId('replay'), recording, (history) => {
    sessions.loaded();
    store.replace(history);
    redraw();
  }).show();
}

const known = await facts();
if (known.recording === undefined) {
  watch();
} else {
  describeHost(known.facts);
  replay(known.recording);
}
