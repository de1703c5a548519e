// Formats figures as the command line does: sizes in powers of 1024, rates in bits in powers of 1000. A missing number
// is shown as a dash, never as a zero. Pure functions.

const BINARY = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];

const BITS = ['bit/s', 'kbit/s', 'Mbit/s', 'Gbit/s', 'Tbit/s'];

export const ABSENT = '–';

export function isNumber(value) {
  return typeof value === 'number' && Number.isFinite(value);
}

/** Formats a size with three significant digits: `0 B`, `1.50 GiB`. */
export function bytes(count) {
  if (!isNumber(count)) {
    return ABSENT;
  }
  let left = Math.max(0, count);
  let unit = 0;
  while (left >= 999.5 && unit < BINARY.length - 1) {
    left /= 1024;
    unit++;
  }
  const places = unit === 0 || left >= 99.95 ? 0 : left >= 9.995 ? 1 : 2;
  return `${left.toFixed(places)} ${BINARY[unit]}`;
}

/** Formats a rate given in bytes a second, in the unit that avoids leading zeros: `9.41 Gbit/s`, `850 kbit/s`. */
export function rate(bytesPerSecond) {
  if (!isNumber(bytesPerSecond)) {
    return ABSENT;
  }
  let left = Math.max(0, bytesPerSecond) * 8;
  let unit = 0;
  while (left >= 999.5 && unit < BITS.length - 1) {
    left /= 1000;
    unit++;
  }
  const places = unit === 0 || left >= 99.95 ? 0 : left >= 9.995 ? 1 : 2;
  return `${left.toFixed(places)} ${BITS[unit]}`;
}

/** Formats a fraction of 1: `87 %`. */
export function percent(share) {
  return isNumber(share) ? `${Math.round(share * 100)} %` : ABSENT;
}

/** Formats an integer in groups of three digits, separated by a thin space in every locale. */
export function count(number) {
  return isNumber(number) ? String(Math.round(number)).replace(/\B(?=(\d{3})+$)/g, '\u202f') : ABSENT;
}

/** Formats a round-trip time: `85 µs`, `1.25 ms`, `142 ms`. */
export function microseconds(value) {
  if (!isNumber(value)) {
    return ABSENT;
  }
  if (value < 1000) {
    return `${Math.round(value)} µs`;
  }
  const ms = value / 1000;
  return `${ms.toFixed(ms >= 99.95 ? 0 : ms >= 9.995 ? 1 : 2)} ms`;
}

/** Formats a duration: `0:42`, `12:05`, `3:07:00`, `2d 01:00`. */
export function duration(seconds) {
  const left = Math.max(0, Math.round(seconds));
  const two = (n) => String(n).padStart(2, '0');
  const days = Math.floor(left / 86400);
  const hours = Math.floor(left / 3600) % 24;
  const minutes = Math.floor(left / 60) % 60;
  if (days > 0) {
    return `${days}d ${two(hours)}:${two(minutes)}`;
  }
  return hours > 0 ? `${hours}:${two(minutes)}:${two(left % 60)}` : `${minutes}:${two(left % 60)}`;
}

/** Formats a time of day in the time zone of the browser. */
export function clock(epochMs, withSeconds = true) {
  const at = new Date(epochMs);
  const two = (n) => String(n).padStart(2, '0');
  const minute = `${two(at.getHours())}:${two(at.getMinutes())}`;
  return withSeconds ? `${minute}:${two(at.getSeconds())}` : minute;
}

/** Adds a capital and a full stop. Returns null for null. */
export function sentence(words) {
  return words ? words[0].toUpperCase() + words.slice(1) + (/[.!?]$/.test(words) ? '' : '.') : null;
}
