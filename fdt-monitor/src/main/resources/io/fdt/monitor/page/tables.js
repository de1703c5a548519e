// The tables of cores, lanes, interfaces, queues and roots: exact values of everything that the drawings show, also for
// screen readers.

import {bytes, count, isNumber, microseconds, percent, rate, ABSENT} from './format.js';
import {Rows, scrollable} from './rows.js';
import {parts} from './store.js';

const number = (name, of, text, more = {}) => ({
  name, text: (row) => text(of(row)), value: of, sort: of, number: true, ...more,
});
const word = (name, of, more = {}) => ({name, text: (row) => of(row) ?? ABSENT, sort: of, ...more});
const whole = (value) => (isNumber(value) ? String(value) : ABSENT);

export function coreTable(place, name) {
  const share = (title, part) => number(title, (row) => row[part], percent);
  const more = document.createElement('details');
  const summary = document.createElement('summary');
  summary.textContent = 'As a table';
  const scroll = scrollable(`Table of cores: ${name}`);
  more.append(summary, scroll);
  place.append(more);
  const rows = new Rows(scroll, `${name}: what every core did in the last second`, [
    {name: 'Core', text: (row) => String(row.core), sort: (row) => row.core, head: true},
    word('Node', (row) => (isNumber(row.node) ? String(row.node) : null)),
    share('User', 'user'), share('System', 'system'), share('Softirq, irq', 'softirq'), share('I/O wait', 'iowait'),
    share('Steal', 'steal'), share('Busy', 'busy'),
  ]);
  return (cores) => rows.show(cores.map((core) => ({key: core.core, core: core.core, node: core.node, ...parts(core)})));
}

// TCP knows these at the end that sends.
const ofSender = {applies: (lanes) => lanes.some((lane) => lane.direction === 'out')};

export function laneTable(place) {
  const rows = new Rows(place, 'Lanes', [
    {name: 'Lane', text: (lane) => `${lane.session} · ${lane.lane}`, sort: (lane) => lane.key, head: true},
    word('Direction', (lane) => lane.direction),
    number('Rate', (lane) => lane.bytes_s, rate, {bar: (lane) => lane.bytes_s / lane.fastest}),
    number('RTT', (lane) => lane.rtt_us, microseconds, ofSender),
    number('Retransmits', (lane) => lane.retransmits, count, {warn: (lane) => lane.retransmits > 0, ...ofSender}),
    number('Window', (lane) => lane.cwnd_bytes, bytes, {title: 'TCP’s congestion window', ...ofSender}),
    number('Core', (lane) => lane.core, whole, {title: 'The core on which the lane’s thread last ran'}),
    number('NIC core', (lane) => lane.incoming_core, whole, {title: 'The core that received its packets'}),
    word('Queue', (lane) => lane.queue),
    number('Moved', (lane) => lane.bytes, bytes),
  ]);
  return (lanes) => {
    const fastest = lanes.reduce((most, lane) => Math.max(most, lane.bytes_s ?? 0), 1);
    rows.show(lanes.map((lane) => ({...lane, fastest, key: `${lane.session}/${lane.direction}/${String(lane.lane).padStart(4, '0')}`})));
  };
}

export function nicTable(place) {
  const used = (nic) => (isNumber(nic.speed_bits) && nic.speed_bits > 0
    ? 8 * Math.max(nic.rx_bytes_s ?? 0, nic.tx_bytes_s ?? 0) / nic.speed_bits : null);
  const drops = (nic) => (isNumber(nic.rx_drops_s) || isNumber(nic.tx_drops_s) ? (nic.rx_drops_s ?? 0) + (nic.tx_drops_s ?? 0) : null);
  const rows = new Rows(place, 'Network interfaces of both ends', [
    {name: 'Interface', text: (nic) => (nic.bond ? `${nic.nic} (${nic.bond})` : nic.nic), sort: (nic) => nic.key, head: true},
    word('Host', (nic) => nic.host),
    number('In', (nic) => nic.rx_bytes_s, rate),
    number('Out', (nic) => nic.tx_bytes_s, rate),
    number('Speed', (nic) => (isNumber(nic.speed_bits) ? nic.speed_bits / 8 : null), rate),
    number('Used', used, percent, {bar: used, warn: (nic) => used(nic) > 0.95}),
    number('Drops/s', drops, count, {warn: (nic) => drops(nic) > 0}),
  ]);
  return (nics) => rows.show(nics.map((nic) => ({...nic, key: `${nic.host}/${nic.nic}`})));
}

export function queueTable(place) {
  const rows = new Rows(place, 'Queues and the cores that serve them', [
    {name: 'Queue', text: (row) => `${row.nic} ${row.queue}`, sort: (row) => row.key, head: true},
    number('Core', (row) => row.core, whole),
    number('Interrupts/s', (row) => row.interrupts_s, count, {bar: (row) => row.interrupts_s / row.most}),
    number('IRQ', (row) => row.irq, whole),
  ]);
  return (queues) => {
    const most = queues.reduce((high, queue) => Math.max(high, queue.interrupts_s ?? 0), 1);
    rows.show(queues.map((queue) => ({...queue, most, key: `${queue.nic}/${queue.queue}/${queue.core}`})));
  };
}

export function rootTable(place) {
  const used = (root) => (root.size_bytes > 0 ? 1 - root.free_bytes / root.size_bytes : null);
  const rows = new Rows(place, 'Exported roots and their disks', [
    {name: 'Root', text: (root) => root.root, sort: (root) => root.key, head: true},
    number('Free', (root) => root.free_bytes, bytes),
    number('Used', used, percent, {bar: used, warn: (root) => used(root) > 0.95}),
    {name: 'Disk', text: (root) => root.device || ABSENT, sort: (root) => root.device},
    number('Reads', (root) => root.read_bytes_s, rate),
    number('Read latency', (root) => root.read_us, microseconds),
    number('Writes', (root) => root.written_bytes_s, rate),
    number('Write latency', (root) => root.write_us, microseconds),
  ]);
  return (roots) => rows.show(roots.map((root) => ({...root, key: root.root})));
}
