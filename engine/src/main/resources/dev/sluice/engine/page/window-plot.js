// A bar for each of the last windows: its colour and the letter below it say what closed it.

import { drawing, element } from './elements.js';
import { duration, shortClock, shortCount, size } from './format.js';
import { valueTicks } from './scale.js';
import { reasonOf } from './window-reasons.js';

/** All sizes here are for a text of this size. */
const TEXT_SIZE = 15;
const HEIGHT = 176;
const LEFT = 62;
const RIGHT = 4;
const TOP = 8;
const LETTERS = 16;
const TIMES = 18;
const BAR = 11;
const STEP = 14;
const TIME_WIDTH = 70;
const VALUE_LINES = 3;

/** What the height of a bar can be. */
export const HEIGHTS = [
  { name: 'time', label: 'time to apply', value: (window) => window.apply_seconds, axis: seconds, base: 60, least: 0.01 },
  { name: 'changes', label: 'changes', value: (window) => window.changes, axis: shortCount, base: 10, least: 10 },
  { name: 'bytes', label: 'bytes', value: (window) => window.bytes, axis: size, base: 1024, least: 1024 },
];

export class WindowPlot {
  #onPoint;
  #canvas = drawing('svg', { class: 'plot', 'aria-hidden': 'true', focusable: 'false' });
  #height = HEIGHTS[0];
  #windows = [];
  #index = -1;
  #width = 0;

  /** The drawing grows with the reader's text size. */
  #scale = 1;
  figure;

  /** @param onPoint called with the index of the window that is pointed at, or null */
  constructor(onPoint) {
    this.#onPoint = onPoint;
    this.figure = element('figure', { class: 'windows', 'aria-label': 'The last windows' }, this.#canvas);
    this.#canvas.addEventListener('pointermove', (event) => this.#point(event));
    this.#canvas.addEventListener('pointerleave', () => this.#onPoint(null));
    new ResizeObserver(([entry]) => {
      this.#scale = parseFloat(getComputedStyle(document.documentElement).fontSize) / TEXT_SIZE;
      this.#width = Math.floor(entry.contentRect.width / this.#scale);
      this.#onPoint(null);
    }).observe(this.figure);
  }

  /** How many windows can be drawn. */
  get room() {
    return Math.max(1, Math.floor((this.#width - LEFT - RIGHT) / STEP));
  }

  show(height) {
    this.#height = height;
  }

  /** @param index of the window that is read; -1 if there is none */
  draw(windows, index) {
    this.#windows = windows;
    this.#index = index;
    if (this.#width === 0) {
      return;
    }
    this.#canvas.setAttribute('viewBox', `0 0 ${this.#width} ${HEIGHT}`);
    this.#canvas.setAttribute('width', this.#width * this.#scale);
    this.#canvas.setAttribute('height', HEIGHT * this.#scale);
    const largest = windows.reduce((most, window) => Math.max(most, this.#height.value(window)), this.#height.least);
    const ticks = valueTicks(largest, VALUE_LINES, this.#height.base);
    const bottom = HEIGHT - LETTERS - TIMES;
    const y = (value) => TOP + (1 - value / ticks.at(-1)) * (bottom - TOP);
    this.#canvas.replaceChildren(
      ...ticks.map((tick) => this.#valueLine(tick, Math.round(y(tick)) + 0.5)),
      ...windows.map((window, place) => this.#bar(window, place, y, bottom)),
      ...this.#times(),
    );
  }

  /** The last window stands at the right. */
  #x(place) {
    return this.#width - RIGHT - (this.#windows.length - place) * STEP;
  }

  #valueLine(value, y) {
    return drawing(
      'g',
      {},
      drawing('line', { class: 'grid', x1: LEFT, x2: this.#width - RIGHT, y1: y, y2: y }),
      drawing('text', { class: 'value', x: LEFT - 8, y: y + 4 }, this.#height.axis(value)),
    );
  }

  /** Also a window that cost next to nothing can be seen. */
  #bar(window, place, y, bottom) {
    const reason = reasonOf(window);
    const top = Math.min(bottom - 2, y(this.#height.value(window)));
    const x = this.#x(place);
    const read = place === this.#index ? ' read' : '';
    return drawing(
      'g',
      { class: `window${read}` },
      drawing('rect', { class: `bar ${reason.style}`, x, y: top, width: BAR, height: bottom - top }),
      drawing('text', { class: `letter${read}`, x: x + BAR / 2, y: bottom + 12 }, reason.letter),
    );
  }

  #times() {
    const every = Math.ceil(TIME_WIDTH / STEP);
    return this.#windows
      .map((window, place) => [window, place])
      .filter(([, place]) => (this.#windows.length - 1 - place) % every === 0 && this.#x(place) > LEFT + 20)
      .map(([window, place]) =>
        drawing('text', { class: 'time', x: Math.min(this.#x(place) + BAR / 2, this.#width - 18), y: HEIGHT - 4 }, shortClock(Date.parse(window.applied_at))),
      );
  }

  #point(event) {
    const x = (event.clientX - this.#canvas.getBoundingClientRect().left) / this.#scale;
    const place = Math.floor((x - this.#x(0)) / STEP);
    if (place >= 0 && place < this.#windows.length) {
      this.#onPoint(place);
    }
  }
}

function seconds(value) {
  return value < 1 ? `${Number((value * 1000).toFixed(1))} ms` : value < 60 ? `${Number(value.toFixed(1))} s` : duration(value);
}
