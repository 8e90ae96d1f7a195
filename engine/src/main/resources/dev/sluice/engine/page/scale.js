// Axes: which values get a line and a label. Pure.

const FACTORS = {
  10: [1, 2, 5, 10],
  60: [1, 2, 5, 10, 15, 20, 30, 60],
  1024: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024],
};

/** Steps of an axis that people count in; parts of a second are counted in tens. */
function niceStep(rough, kind) {
  const base = kind === 60 && rough < 1 ? 10 : kind;
  const power = base ** Math.floor(Math.log(rough) / Math.log(base));
  return power * FACTORS[base].find((factor) => power * factor >= rough * 0.999999);
}

/**
 * Values from 0 to at least the largest one.
 *
 * @param base 10, 60 for seconds, or 1024 for sizes
 */
export function valueTicks(largest, most, base) {
  const step = niceStep(largest / most, base);
  const ticks = [];
  for (let i = 0; i === 0 || ticks.at(-1) < largest; i++) {
    ticks.push(i * step);
  }
  return ticks;
}

const MINUTE = 60000;
const TIME_STEPS = [1, 2, 3, 5, 10, 15, 30, 60, 120, 180, 240, 360, 720].map((minutes) => minutes * MINUTE);

/** Round times of the reader's day between two times, in milliseconds since 1970. */
export function timeTicks(from, to, most) {
  const step = TIME_STEPS.find((candidate) => (to - from) / candidate <= most) ?? TIME_STEPS.at(-1);
  const offset = new Date(to).getTimezoneOffset() * MINUTE;
  const ticks = [];
  for (let tick = Math.ceil((from - offset) / step) * step + offset; tick <= to; tick += step) {
    ticks.push(tick);
  }
  return ticks;
}
