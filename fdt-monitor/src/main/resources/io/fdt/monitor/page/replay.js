// Shows a recording instead of what happens now: a slider over its time chooses the last quarter of an hour that is shown.
//
// While one answer is on its way no other is asked for, and what the reader moved to meanwhile is asked for next; so that
// dragging over a recording of days shows what it passes, as fast as the server reads it.

import {clock} from './format.js';

export class Replay {
  /**
   * @param place the slider's label, which is shown
   * @param onHistory takes an array of samples
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
    // The slider goes in whole seconds from its beginning; its right end means the end.
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
      // The server of the recording is gone; what was shown last stays.
      this.shown = until;
    }
    this.busy = false;
    this.show();
  }
}
