// One plot: lines over time in a drawing, and its figures as text in the caption.

import { drawing, element, setText } from './elements.js';
import { shortClock, UNKNOWN } from './format.js';
import { timeTicks, valueTicks } from './scale.js';

/** All sizes here are for a text of this size. */
const TEXT_SIZE = 15;
const HEIGHT = 132;
const LEFT = 62;
const RIGHT = 10;
const TOP = 8;
const BOTTOM = 20;
const LABEL_WIDTH = 70;
const VALUE_LINES = 3;

/** A longer time without a sample, in steps, is a gap in the line. */
const GAP_STEPS = 2.5;

export class Plot {
  #description;
  #onPoint;
  #canvas = drawing('svg', { class: 'plot', 'aria-hidden': 'true', focusable: 'false' });
  #entries = [];
  #series = null;
  #index = null;
  #width = 0;

  /** The drawing grows with the reader's text size. */
  #scale = 1;
  figure;

  /**
   * @param description title, lines (figure, label, style, onlyIfUsed), format and axis of the
   *   values, base, least (the axis reaches at least so far), worst (highest or lowest), unknown
   * @param onPoint called with the index of the sample that is pointed at, or null
   */
  constructor(description, onPoint) {
    this.#description = description;
    this.#onPoint = onPoint;
    this.#entries = description.lines.map((line) => new LegendEntry(line));
    this.figure = element(
      'figure',
      { 'aria-label': description.title },
      element(
        'figcaption',
        {},
        element('h3', {}, description.title),
        element('ul', { class: 'legend' }, this.#entries.map((entry) => entry.item)),
      ),
      this.#canvas,
    );
    this.#canvas.addEventListener('pointermove', (event) => this.#point(event));
    this.#canvas.addEventListener('pointerleave', () => this.#onPoint(null));
    new ResizeObserver(([entry]) => {
      this.#scale = parseFloat(getComputedStyle(document.documentElement).fontSize) / TEXT_SIZE;
      this.#width = Math.floor(entry.contentRect.width / this.#scale);
      this.#redraw();
    }).observe(this.figure);
  }

  /** @param index of the sample whose figures are named; null if there are none */
  draw(series, index) {
    this.#series = series;
    this.#index = index;
    this.#entries.forEach((entry) => entry.update(series, index, this.#description));
    this.#redraw();
  }

  #point(event) {
    if (!this.#series?.at.length) {
      return;
    }
    const x = (event.clientX - this.#canvas.getBoundingClientRect().left) / this.#scale;
    const at = this.#from() + ((x - LEFT) / this.#plotWidth()) * (this.#to() - this.#from());
    this.#onPoint(nearest(this.#series.at, at));
  }

  #to() {
    return this.#series.at.at(-1);
  }

  #from() {
    return this.#to() - this.#series.span_seconds * 1000;
  }

  #plotWidth() {
    return Math.max(1, this.#width - LEFT - RIGHT);
  }

  #redraw() {
    if (!this.#series || this.#width === 0) {
      return;
    }
    this.#canvas.setAttribute('viewBox', `0 0 ${this.#width} ${HEIGHT}`);
    this.#canvas.setAttribute('width', this.#width * this.#scale);
    this.#canvas.setAttribute('height', HEIGHT * this.#scale);
    if (this.#series.at.length === 0) {
      this.#canvas.replaceChildren();
      return;
    }
    const ticks = valueTicks(this.#largest(), VALUE_LINES, this.#description.base ?? 10);
    const x = (at) => LEFT + ((at - this.#from()) / (this.#to() - this.#from())) * this.#plotWidth();
    const y = (value) => TOP + (1 - value / ticks.at(-1)) * (HEIGHT - TOP - BOTTOM);
    this.#canvas.replaceChildren(
      ...ticks.map((tick) => this.#valueLine(tick, y(tick))),
      ...this.#timeLabels(x),
      ...this.#lines().map((line) =>
        drawing('path', { class: `line ${line.style}`, d: this.#path(line, x, y) }),
      ),
      ...this.#cursor(x, y),
    );
  }

  /** Without those of work that was not done in the span. */
  #lines() {
    return this.#description.lines.filter((line) => isUsed(line, this.#series));
  }

  #largest() {
    let largest = this.#description.least;
    for (const line of this.#description.lines) {
      for (const value of this.#series.figures[line.figure] ?? []) {
        largest = Math.max(largest, value ?? 0);
      }
    }
    return largest;
  }

  #valueLine(value, y) {
    return drawing(
      'g',
      {},
      drawing('line', { class: 'grid', x1: LEFT, x2: this.#width - RIGHT, y1: crisp(y), y2: crisp(y) }),
      drawing('text', { class: 'value', x: LEFT - 8, y: y + 4 }, this.#description.axis(value)),
    );
  }

  #timeLabels(x) {
    const most = Math.max(2, Math.floor(this.#plotWidth() / LABEL_WIDTH));
    return timeTicks(this.#from(), this.#to(), most)
      .filter((tick) => x(tick) < this.#width - 16)
      .map((tick) =>
        drawing('text', { class: 'time', x: x(tick), y: HEIGHT - 4 }, shortClock(tick)),
      );
  }

  /** Lines between samples that follow each other; a sample alone is a dot. */
  #path(line, x, y) {
    const { at, figures, step_seconds: step } = this.#series;
    const values = figures[line.figure] ?? [];
    const gap = step * 1000 * GAP_STEPS;
    let path = '';
    let before = null;
    for (let i = 0; i < at.length; i++) {
      if (values[i] === null || values[i] === undefined) {
        before = null;
        continue;
      }
      const joined = before !== null && at[i] - before <= gap;
      const point = `${x(at[i]).toFixed(1)} ${y(values[i]).toFixed(1)}`;
      path += joined ? `L${point}` : `M${point}h0.01`;
      before = at[i];
    }
    return path;
  }

  #cursor(x, y) {
    if (this.#index === null || this.#index === this.#series.at.length - 1) {
      return [];
    }
    const at = x(this.#series.at[this.#index]);
    return [
      drawing('line', { class: 'cursor', x1: crisp(at), x2: crisp(at), y1: TOP, y2: HEIGHT - BOTTOM }),
      ...this.#lines()
        .map((line) => [line, this.#series.figures[line.figure]?.[this.#index]])
        .filter(([, value]) => value !== null && value !== undefined)
        .map(([line, value]) => drawing('circle', { class: `point ${line.style}`, cx: at, cy: y(value), r: 3 })),
    ];
  }
}

/** A line's name, its figure at the time that is read, and its worst in the span. */
class LegendEntry {
  #line;
  #value = element('strong');
  #worst = element('span', { class: 'worst' });
  item;

  constructor(line) {
    this.#line = line;
    const swatch = drawing(
      'svg',
      { class: 'swatch', viewBox: '0 0 22 10', width: 22, height: 10, 'aria-hidden': 'true' },
      drawing('path', { class: `line ${line.style}`, d: 'M1 5H21' }),
    );
    this.item = element('li', {}, swatch, element('span', {}, line.label, ' '), this.#value, ' ', this.#worst);
  }

  update(series, index, description) {
    this.item.hidden = !isUsed(this.#line, series);
    const values = series.figures[this.#line.figure] ?? [];
    const known = values.filter((value) => value !== null);
    const value = index === null ? null : values[index];
    setText(this.#value, value === null || value === undefined ? (description.unknown ?? UNKNOWN) : description.format(value));
    const worst = description.worst === 'lowest' ? Math.min(...known) : Math.max(...known);
    setText(this.#worst, known.length === 0 ? '' : `${description.worst} ${description.format(worst)}`);
  }
}

function isUsed(line, series) {
  return !line.onlyIfUsed || (series.figures[line.figure] ?? []).some((value) => value > 0);
}

/** In the middle of a pixel, so that a line of one pixel is sharp. */
function crisp(position) {
  return Math.round(position) + 0.5;
}

function nearest(times, at) {
  let best = 0;
  for (let i = 1; i < times.length; i++) {
    if (Math.abs(times[i] - at) < Math.abs(times[best] - at)) {
      best = i;
    }
  }
  return best;
}
