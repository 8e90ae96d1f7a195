// A button that gives the daemon a command, with the reason while it cannot be used, and with what
// came of it in words that stay.

import { element, setText } from './elements.js';
import { clock } from './format.js';
import { DONE, FAILED, NOT_COVERED, NOT_SENT, UNANSWERED, UNDECIDED } from './request.js';

const WORDS = {
  [DONE]: ['Done', 'fine'],
  [FAILED]: ['Not done', 'problem'],
  [UNDECIDED]: ['Undecided', 'warning'],
  [NOT_COVERED]: ['Done, with findings', 'warning'],
  [NOT_SENT]: ['Not sent', 'note'],
  [UNANSWERED]: ['No answer', 'warning'],
};

const shown = new Set();
let answers = true;
let count = 0;

/** From now on no command can be given, or all can again. */
export function daemonAnswers(now) {
  if (answers !== now) {
    answers = now;
    shown.forEach((action) => action.show());
  }
}

export class Action {
  #button;
  #reason;
  #outcome = element('div', { class: 'outcome', role: 'status', 'aria-live': 'polite', 'aria-atomic': true });
  #blocked = null;
  #running = false;
  #run;
  element;

  /**
   * @param label of the button
   * @param about what it does, in a sentence; null if the label says it
   * @param run asks what it must ask, and sends the command; resolves with the outcome, or with
   *   null if the reader changed their mind
   */
  constructor({ label, about = null, danger = false, run }) {
    const id = `action-${++count}`;
    this.#run = run;
    this.#reason = element('span', { class: 'quiet', id: `${id}-reason` });
    // A button that is really disabled loses the focus, and hides its reason from screen readers.
    this.#button = element(
      'button',
      {
        type: 'button',
        class: danger ? 'danger' : null,
        'aria-describedby': `${id}-about ${id}-reason`,
      },
      label,
    );
    this.#button.addEventListener('click', (event) => event.detail <= 1 && this.#start());
    this.element = element(
      'div',
      { class: 'action' },
      element('p', {}, this.#button, ' ', about && element('span', { id: `${id}-about` }, about), ' ', this.#reason),
      this.#outcome,
    );
    shown.add(this);
    this.show();
  }

  get isRunning() {
    return this.#running;
  }

  /** What came of it last, as an element; it may be moved to a place that stays. */
  get outcome() {
    return this.#outcome;
  }

  relabel(label) {
    setText(this.#button, label);
  }

  /** @param reason why it cannot be used now; null if it can */
  block(reason) {
    this.#blocked = reason;
    this.show();
  }

  remove() {
    shown.delete(this);
    this.element.remove();
  }

  show() {
    const reason = this.#running
      ? 'Its answer is waited for.'
      : answers
        ? this.#blocked
        : 'The daemon does not answer.';
    if (reason === null) {
      this.#button.removeAttribute('aria-disabled');
    } else {
      this.#button.setAttribute('aria-disabled', 'true');
    }
    setText(this.#reason, reason ?? '');
  }

  async #start() {
    if (this.#running || !answers || this.#blocked !== null) {
      return;
    }
    this.#running = true;
    this.show();
    try {
      const outcome = await this.#run(() => this.#say('Asked', 'note', 'waiting for the answer.'));
      if (outcome) {
        const [word, level] = WORDS[outcome.ending] ?? WORDS[FAILED];
        this.#say(outcome.word ?? word, level, outcome.message, outcome.details);
      }
    } finally {
      this.#running = false;
      this.show();
    }
  }

  #say(word, level, message, details = []) {
    this.#outcome.replaceChildren(
      element(
        'p',
        { class: 'message' },
        element('span', { class: `badge ${level}` }, word),
        ' ',
        element('span', { class: 'quiet' }, clock(Date.now())),
        ' ',
        message,
      ),
      ...(details.length === 0 ? [] : [element('ul', { class: 'lines' }, details.map((line) => element('li', { class: 'message' }, line)))]),
    );
  }
}
