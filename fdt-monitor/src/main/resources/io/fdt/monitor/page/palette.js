// The colours of the canvases, read from the style sheet, so that light, dark and forced colours are one matter of CSS.
// They are read again when the scheme changes.

let known = null;
const probe = document.createElement('canvas').getContext('2d', {willReadFrequently: true});

/** A custom property of the page as a colour that canvas takes, `light-dark()` resolved. */
export function colour(name) {
  return palette().css[name] ??= resolve(name);
}

/** The same as [r, g, b]. */
export function rgb(name) {
  return palette().rgb[name] ??= channels(colour(name));
}

/** Calls back, with the old colours forgotten, when the scheme changes. */
export function onSchemeChange(callback) {
  for (const query of ['(prefers-color-scheme: dark)', '(forced-colors: active)', '(prefers-contrast: more)']) {
    matchMedia(query).addEventListener('change', () => {
      known = null;
      callback();
    });
  }
}

function palette() {
  return known ??= {css: {}, rgb: {}};
}

function resolve(name) {
  const swatch = document.createElement('i');
  swatch.hidden = true;
  swatch.style.color = `var(--${name})`;
  document.body.append(swatch);
  const value = getComputedStyle(swatch).color;
  swatch.remove();
  return value;
}

function channels(css) {
  probe.canvas.width = probe.canvas.height = 1;
  probe.fillStyle = css;
  probe.fillRect(0, 0, 1, 1);
  return [...probe.getImageData(0, 0, 1, 1).data.slice(0, 3)];
}
