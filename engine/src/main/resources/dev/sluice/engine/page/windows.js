// The last windows: what closed each, and what it cost. They are read after each status, those alone
// that are not known yet.

import { definitions, element, redraw, setText } from './elements.js';
import { clock, count, counted, duration, milliseconds, size } from './format.js';
import { HEIGHTS, WindowPlot } from './window-plot.js';
import { REASONS, reasonOf, swatch } from './window-reasons.js';
import { windowTable } from './window-table.js';

const TIMEOUT = 10000;

export class Windows {
  #since = null;
  #windows = [];
  #asking = false;

  /** The number of the window that is read; null follows the last one. */
  #number = null;
  #plot;
  #slider = element('input', { type: 'range', id: 'window-number', min: 0, max: 0, value: 0, step: 1 });
  #reading = element('output', { for: 'window-number' }, 'none yet');
  #summary = element('p', { class: 'quiet' });
  #detail = element('div', { id: 'window-detail' });
  #legend = element('ul', { class: 'reasons', 'aria-label': 'What closed the windows' });
  #table = windowTable();
  #all;

  constructor(target) {
    this.#plot = new WindowPlot((index) => this.#pointAt(index));
    this.#all = element('details', {}, element('summary', {}, 'All of them as a table'), this.#table.element);
    this.#all.addEventListener('toggle', () => this.#drawTable());
    this.#slider.addEventListener('input', () => this.#pointAt(Number(this.#slider.value)));
    target.append(
      element(
        'div',
        { class: 'controls' },
        element(
          'fieldset',
          { class: 'choice' },
          element('legend', {}, 'Height is'),
          HEIGHTS.map((height, index) => this.#choice(height, index)),
        ),
        element('p', { class: 'reading' }, element('label', { for: 'window-number' }, 'Window'), this.#slider, this.#reading),
        this.#summary,
      ),
      this.#plot.figure,
      this.#legend,
      this.#detail,
      this.#all,
    );
  }

  /** Reads the windows that came since the last call; does nothing while it waits for an answer. */
  async update() {
    if (this.#asking) {
      return;
    }
    this.#asking = true;
    try {
      const known = this.#windows.at(-1)?.number ?? 0;
      const answer = await this.#ask(known);
      if (answer && answer.since !== this.#since && known > 0) {
        // Another daemon counts from one again.
        this.#windows = [];
        this.#number = null;
        this.#take(await this.#ask(0));
      } else {
        this.#take(answer);
      }
    } catch {
      // The connection reports a daemon that is gone.
    } finally {
      this.#asking = false;
    }
  }

  async #ask(after) {
    const answer = await fetch(`windows?after=${after}`, { cache: 'no-store', signal: AbortSignal.timeout(TIMEOUT) });
    return answer.ok ? answer.json() : null;
  }

  #take(answer) {
    if (!answer) {
      return;
    }
    this.#since = answer.since;
    this.#windows = [...this.#windows, ...answer.windows].slice(-answer.most);
    this.#draw();
  }

  #choice(height, index) {
    const input = element('input', { type: 'radio', name: 'window-height', value: height.name, checked: index === 0 });
    input.addEventListener('change', () => {
      this.#plot.show(height);
      this.#draw();
    });
    return element('label', {}, input, element('span', {}, height.label));
  }

  /** @param index among the windows that are drawn; the last one goes on with the next */
  #pointAt(index) {
    const drawn = this.#drawn();
    this.#number = index === null || index >= drawn.length - 1 ? null : drawn[index].number;
    this.#draw();
  }

  /** Those for which there is room. */
  #drawn() {
    return this.#windows.slice(-this.#plot.room);
  }

  #draw() {
    const drawn = this.#drawn();
    const last = drawn.length - 1;
    const found = this.#number === null ? last : drawn.findIndex((window) => window.number >= this.#number);
    const index = found < 0 ? last : found;
    const read = drawn[index] ?? null;
    this.#slider.max = Math.max(0, last);
    this.#slider.value = Math.max(0, index);
    this.#slider.disabled = last < 0;
    const words = read === null ? 'none yet' : `${count(read.number)}${index === last ? ', the last' : ''}`;
    setText(this.#reading, words);
    this.#slider.setAttribute('aria-valuetext', read === null ? words : `${words}: ${spoken(read)}`);
    setText(
      this.#summary,
      last < 0 ? 'No window with changes was applied yet.' : `${counted(drawn.length, 'window')} of ${count(this.#windows.at(-1).number)} since the daemon's start`,
    );
    this.#plot.draw(drawn, index);
    redraw(this.#legend, drawn.map(({ number }) => number), () => REASONS.map((reason) => legend(reason, drawn)));
    redraw(this.#detail, read, () => read && details(read));
    this.#drawTable();
  }

  #drawTable() {
    if (this.#all.open) {
      this.#table.update(this.#windows);
    }
  }
}

/** How many windows a reason closed, and its part of the time of all. */
function legend(reason, windows) {
  const closed = windows.filter((window) => reasonOf(window) === reason);
  const seconds = (some) => some.reduce((sum, window) => sum + window.apply_seconds, 0);
  const all = seconds(windows);
  const part = all === 0 ? 0 : (100 * seconds(closed)) / all;
  return element(
    'li',
    {},
    swatch(reason),
    element('strong', {}, `${reason.letter} ${reason.name}`),
    ` ${counted(closed.length, 'window')}, ${part.toFixed(0)} % of the time: `,
    element('span', { class: 'quiet' }, reason.words),
  );
}

function spoken(window) {
  return `${window.reason}, ${counted(window.changes, 'change')} in ${milliseconds(window.apply_seconds)}`;
}

function details(window) {
  return [
    element(
      'h3',
      {},
      swatch(reasonOf(window)),
      `Window ${count(window.number)}, ${window.lane}, closed by ${window.reason}, applied ${clock(window.applied_at)}`,
    ),
    definitions([
      ['changes in', `${count(window.changes)} of ${counted(window.transactions, 'transaction')}, ${size(window.bytes)}`],
      ['net changes out', `${count(window.net_changes)} in ${counted(window.statements, 'statement')}`],
      ['filled for', milliseconds(window.fill_seconds)],
      ['applied in', milliseconds(window.apply_seconds)],
      ['of which', stages(window)],
      ["first commit to visible", duration(window.visible_seconds)],
      ['failed attempts', window.retries > 0 ? count(window.retries) : null],
    ]),
  ];
}

function stages({ stages: taken }) {
  const longest = Object.entries(taken).sort(([, one], [, other]) => other - one);
  return longest.length === 0 ? 'not measured' : longest.map(([name, seconds]) => `${name} ${milliseconds(seconds)}`).join(', ');
}
