// Numbers, sizes and times as people read them. A value that is not known is a dash.

export const UNKNOWN = '–';

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });

function isUnknown(value) {
  return value === null || value === undefined || Number.isNaN(value);
}

export function count(value) {
  return isUnknown(value) ? UNKNOWN : whole.format(value);
}

/** For an axis: 1.2K. */
export function shortCount(value) {
  return short.format(value);
}

/** A number with its noun: 1 table, 2 tables. */
export function counted(value, noun, several = noun + 's') {
  return `${count(value)} ${value === 1 ? noun : several}`;
}

/** 1 row differs, 2 rows differ. */
export function differing(rows) {
  return `${counted(rows, 'row')} ${rows === 1 ? 'differs' : 'differ'}`;
}

export function size(bytes) {
  if (isUnknown(bytes)) {
    return UNKNOWN;
  }
  let value = Math.max(0, bytes);
  if (value < 1024) {
    return `${Math.round(value)} B`;
  }
  const units = ['KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];
  let unit = -1;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${value.toFixed(1)} ${units[unit]}`;
}

export function rate(rowsPerSecond) {
  return isUnknown(rowsPerSecond) ? UNKNOWN : `${count(rowsPerSecond)} rows/s`;
}

/** A short length of time: 12 ms; from a second on as a length of time. */
export function milliseconds(seconds) {
  if (isUnknown(seconds) || seconds >= 0.9995) {
    return duration(seconds);
  }
  return seconds < 0.00995 ? `${Math.max(0, seconds * 1000).toFixed(1)} ms` : `${Math.round(seconds * 1000)} ms`;
}

/** A length of time: 0.4 s, 3 min 20 s, 2 h 5 min, 3 d 4 h. */
export function duration(seconds) {
  if (isUnknown(seconds)) {
    return UNKNOWN;
  }
  if (seconds < 9.95) {
    return `${Math.max(0, seconds).toFixed(1)} s`;
  }
  const rounded = Math.round(seconds);
  if (rounded < 60) {
    return `${rounded} s`;
  }
  if (rounded < 3600) {
    return twoParts(rounded, 60, 'min', 1, 's');
  }
  if (rounded < 86400) {
    return twoParts(rounded, 3600, 'h', 60, 'min');
  }
  return twoParts(rounded, 86400, 'd', 3600, 'h');
}

function twoParts(seconds, large, largeName, small, smallName) {
  const many = Math.floor(seconds / large);
  const rest = Math.floor((seconds % large) / small);
  return rest === 0 ? `${many} ${largeName}` : `${many} ${largeName} ${rest} ${smallName}`;
}

export function hours(value) {
  if (isUnknown(value)) {
    return UNKNOWN;
  }
  return value >= 48 ? `${count(value / 24)} days` : value >= 10 ? `${count(value)} hours` : `${value.toFixed(1)} hours`;
}

export function percent(value) {
  return isUnknown(value) ? UNKNOWN : `${value >= 99.95 ? 100 : value.toFixed(1)} %`;
}

/** The time of day where the reader is; with the date if it is not today. */
export function clock(instant) {
  if (isUnknown(instant)) {
    return UNKNOWN;
  }
  const date = new Date(instant);
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(':');
  return isToday(date) ? time : `${day(date)} ${time}`;
}

/** For an axis: hours and minutes. */
export function shortClock(milliseconds) {
  const date = new Date(milliseconds);
  return `${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}`;
}

function day(date) {
  return `${date.getFullYear()}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())}`;
}

function isToday(date) {
  return day(date) === day(new Date());
}

function twoDigits(value) {
  return String(value).padStart(2, '0');
}
