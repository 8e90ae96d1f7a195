// Which plots there are, the choice of their span, and the time at which they are read.

import { element, setText } from './elements.js';
import { clock, duration, hours, rate, shortCount, size, count } from './format.js';
import { History } from './history.js';
import { Plot } from './plot.js';

const PLOTS = [
  {
    title: 'Behind the source',
    lines: [
      { figure: 'target_latency_seconds', label: 'target', style: 'second' },
      { figure: 'source_latency_seconds', label: 'journal', style: 'first' },
    ],
    format: duration,
    axis: (value) => (value < 60 ? `${Number(value.toFixed(2))} s` : duration(value)),
    base: 60,
    least: 1,
    worst: 'highest',
  },
  {
    title: 'Rows per second',
    lines: [
      { figure: 'source_rows_per_second', label: 'source', style: 'first' },
      { figure: 'target_rows_per_second', label: 'applied', style: 'second' },
      { figure: 'full_load_rows_per_second', label: 'loaded', style: 'third', onlyIfUsed: true },
    ],
    format: rate,
    axis: shortCount,
    least: 10,
    worst: 'highest',
  },
  {
    title: 'Waiting changes',
    lines: [{ figure: 'backlog_changes', label: 'not applied yet', style: 'first' }],
    format: count,
    axis: shortCount,
    least: 10,
    worst: 'highest',
  },
  {
    title: 'Memory of transactions and windows',
    lines: [
      { figure: 'memory_bytes', label: 'held', style: 'first' },
      { figure: 'memory_limit_bytes', label: 'limit', style: 'limit' },
    ],
    format: size,
    axis: size,
    base: 1024,
    least: 1024 * 1024,
    worst: 'highest',
  },
  {
    title: 'Swap files',
    lines: [{ figure: 'swap_bytes', label: 'on disk', style: 'first' }],
    format: size,
    axis: size,
    base: 1024,
    least: 1024 * 1024,
    worst: 'highest',
  },
  {
    title: 'Hours of room left',
    lines: [
      { figure: 'source_log_hours_left', label: 'source log', style: 'first' },
      { figure: 'kafka_disk_hours_left', label: 'Kafka disk', style: 'second' },
    ],
    format: hours,
    axis: shortCount,
    least: 1,
    worst: 'lowest',
    unknown: 'does not fill',
  },
];

export class Plots {
  #history = new History(() => this.#draw());
  #plots = PLOTS.map((description) => new Plot(description, (index) => this.#pointAt(index)));
  #slider = element('input', { type: 'range', id: 'plot-time', min: 0, max: 0, value: 0, step: 1 });
  #reading = element('output', { for: 'plot-time' }, 'now');

  /** The time that is read; null follows the last sample. */
  #at = null;

  constructor(controls, grid) {
    controls.append(
      element(
        'fieldset',
        { class: 'choice' },
        element('legend', {}, 'The last'),
        History.spans.map((span) => this.#choice(span)),
      ),
      element(
        'p',
        { class: 'reading' },
        element('label', { for: 'plot-time' }, 'Read at'),
        this.#slider,
        this.#reading,
      ),
    );
    grid.append(...this.#plots.map((plot) => plot.figure));
    this.#slider.addEventListener('input', () => this.#pointAt(Number(this.#slider.value)));
  }

  add(sample) {
    this.#history.add(sample);
  }

  reload() {
    return this.#history.reload();
  }

  #choice(span) {
    const input = element('input', {
      type: 'radio',
      name: 'span',
      value: span.name,
      checked: span.name === this.#history.span,
    });
    input.addEventListener('change', () => this.#history.show(span.name));
    return element('label', {}, input, element('span', {}, span.label));
  }

  /** The last sample is not a time that stays: it goes on with the next one. */
  #pointAt(index) {
    const times = this.#history.series?.at ?? [];
    this.#at = index === null || index >= times.length - 1 ? null : times[index];
    this.#draw();
  }

  #draw() {
    const series = this.#history.series;
    if (!series) {
      return;
    }
    const last = series.at.length - 1;
    const index = last < 0 ? null : this.#at === null ? last : indexOf(series.at, this.#at);
    this.#slider.max = Math.max(0, last);
    this.#slider.value = index ?? 0;
    const words = this.#at === null ? 'now' : clock(series.at[index]);
    this.#slider.setAttribute('aria-valuetext', words);
    setText(this.#reading, words);
    this.#plots.forEach((plot) => plot.draw(series, index));
  }
}

function indexOf(times, at) {
  const index = times.findIndex((time) => time >= at);
  return index < 0 ? times.length - 1 : index;
}
