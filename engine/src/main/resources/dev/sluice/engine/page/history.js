// The figures of the span that the plots show.

const SPANS = [
  { name: '15m', label: '15 minutes' },
  { name: '1h', label: '1 hour' },
  { name: '6h', label: '6 hours' },
  { name: '24h', label: '24 hours' },
];

/** Samples of a finer span than this are added as they come; others are read again. */
const LIVE_STEP_SECONDS = 2;

export class History {
  static spans = SPANS;

  #changed;
  #loaded = 0;
  span = '15m';
  series = null;

  /** @param changed called when there is something new to draw */
  constructor(changed) {
    this.#changed = changed;
  }

  async show(span) {
    this.span = span;
    try {
      const answer = await fetch(`history?span=${span}`, {
        cache: 'no-store',
        signal: AbortSignal.timeout(10000),
      });
      const series = answer.ok ? await answer.json() : null;
      // Another span may have been chosen meanwhile.
      if (series && series.span === this.span) {
        this.series = series;
        this.#loaded = performance.now();
        this.#changed();
      }
    } catch {
      // The connection reports a daemon that is gone; the history is read again when it is back.
    }
  }

  reload() {
    return this.show(this.span);
  }

  add(sample) {
    const series = this.series;
    if (!series) {
      return;
    }
    if (series.step_seconds > LIVE_STEP_SECONDS) {
      if (performance.now() - this.#loaded > series.step_seconds * 1000) {
        this.#loaded = performance.now();
        this.reload();
      }
      return;
    }
    if (series.at.length > 0 && sample.at <= series.at.at(-1)) {
      return;
    }
    series.at.push(sample.at);
    for (const [figure, values] of Object.entries(series.figures)) {
      values.push(sample[figure] ?? null);
    }
    while (series.at[0] < sample.at - series.span_seconds * 1000) {
      series.at.shift();
      Object.values(series.figures).forEach((values) => values.shift());
    }
    this.#changed();
  }
}
