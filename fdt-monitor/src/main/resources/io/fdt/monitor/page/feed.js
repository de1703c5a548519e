// Supplies the page with data: the history once, then server-sent events, and both again after every loss.
//
// EventSource reconnects by itself, but gives up for good if the server responds with an error, as a proxy does whose
// server is down. This class then creates a new one, after a pause that grows to ten seconds. A connection that stays
// silent for long is treated as lost, because a host that was switched off sends nothing.

const SILENT_MS = 20000;
const LOOK_EVERY_MS = 1000;
const RETRY_MS = [1000, 2000, 5000, 10000];

export class Feed {
  /**
   * @param onSample receives one live sample
   * @param onHistory receives an array of samples
   * @param onState receives `connecting`, `live`, `lost` or `refused`
   */
  constructor({onSample, onHistory, onState}) {
    this.onSample = onSample;
    this.onHistory = onHistory;
    this.onState = onState;
    this.source = null;
    this.state = 'connecting';
    this.failures = 0;
    this.heardAt = performance.now();
    this.needsHistory = true;
  }

  start() {
    this.open();
    setInterval(() => {
      if (this.source !== null && performance.now() - this.heardAt > SILENT_MS) {
        this.lose();
      }
    }, LOOK_EVERY_MS);
  }

  open() {
    this.heardAt = performance.now();
    const source = new EventSource('api/live');
    this.source = source;
    source.addEventListener('open', () => {
      this.heardAt = performance.now();
    });
    source.addEventListener('sample', (event) => this.hear(source, event.data));
    source.addEventListener('error', () => {
      if (this.source !== source) {
        return;
      }
      if (source.readyState === EventSource.CLOSED) {
        this.lose();
      } else {
        this.missed();
      }
    });
  }

  hear(source, text) {
    if (this.source !== source) {
      return;
    }
    this.heardAt = performance.now();
    this.failures = 0;
    this.onSample(JSON.parse(text));
    if (this.needsHistory) {
      this.needsHistory = false;
      this.fetchHistory();
    } else if (this.state !== 'live') {
      this.become('live');
    }
  }

  async fetchHistory() {
    try {
      const answer = await fetch('api/history', {cache: 'no-store'});
      if (answer.ok) {
        this.onHistory(await answer.json());
      }
    } catch {
      this.needsHistory = true;
    }
    if (this.source !== null && !this.needsHistory) {
      this.become('live');
    }
  }

  /** The connection is lost, and the browser reconnects by itself. */
  missed() {
    this.needsHistory = true;
    this.become('lost');
  }

  /** The connection is lost, and the browser does not reconnect. */
  async lose() {
    this.source.close();
    this.source = null;
    this.missed();
    const pauseMs = RETRY_MS[Math.min(this.failures, RETRY_MS.length - 1)];
    this.failures++;
    if (await this.isRefused()) {
      this.become('refused');
    }
    setTimeout(() => this.open(), pauseMs);
  }

  /** Whether the server is up but refuses this page. */
  async isRefused() {
    try {
      const answer = await fetch('api/host', {cache: 'no-store'});
      return answer.status === 401 || answer.status === 403;
    } catch {
      return false;
    }
  }

  become(state) {
    if (this.state !== state) {
      this.state = state;
      this.onState(state);
    }
  }
}
