// The colours of the canvases, read from the style sheet, so that only CSS handles light, dark and forced colours. They
// are read again when the scheme changes.

let known = null;
const probe = document.createElement('canvas').getContext('2d', {willReadFrequently: true});

/** Returns a custom property of the page as a colour that a canvas accepts, with `light-dark()` resolved. */
export function colour(name) {
  return palette().css[name] ??= resolve(name);
}

/** The same for any pen: one that writes SVG keeps the name, so that its picture follows the scheme of the page. */
export function ink(pen, name) {
  return pen.ink ? pen.ink(name) : colour(name);
}

/** Returns the same colour as [r, g, b]. */
export function rgb(name) {
  return palette().rgb[name] ??= channels(colour(name));
}

/** Discards cached colours and calls back when the scheme changes. */
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
