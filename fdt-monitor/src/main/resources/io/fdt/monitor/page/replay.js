// Shows a recording instead of live data. A slider over the time of the recording selects the end of the visible
// quarter of an hour.
//
// Only one request is in flight at a time. When it completes, the position to which the user has moved meanwhile is
// requested next. Dragging through days of a recording therefore shows what it passes, as fast as the server reads it.

import {clock} from './format.js';

export class Replay {
  /**
   * @param place the label of the slider, which this class makes visible
   * @param onHistory receives an array of samples
   */
  constructor(place, {from, until}, onHistory) {
    this.onHistory = onHistory;
    this.slider = place.querySelector('input');
    this.text = place.querySelector('output');
    this.slider.min = from;
    this.slider.max = until;
    this.slider.value = until;
    this.shown = null;
    this.busy = false;
    place.hidden = false;
    this.slider.addEventListener('input', () => this.show());
  }

  async show() {
    // The slider moves in whole seconds from its start. Its right end means the end of the recording.
    const max = Number(this.slider.max);
    const until = max - Number(this.slider.value) < Number(this.slider.step) ? max : Number(this.slider.value);
    this.text.textContent = new Date(until).toLocaleDateString() + ' ' + clock(until);
    this.slider.setAttribute('aria-valuetext', this.text.textContent);
    if (this.busy || until === this.shown) {
      return;
    }
    this.busy = true;
    try {
      const answer = await fetch(`api/history?until=${until}`, {cache: 'no-store'});
      if (answer.ok) {
        this.shown = until;
        this.onHistory(await answer.json());
      }
    } catch {
      // The server of the recording is gone. The last history stays visible.
      this.shown = until;
    }
    this.busy = false;
    this.show();
  }
}
