// A cutover step by step: the check, what is accepted, a rehearsal, and the cutover itself. The
// daemon of a way back has the same for a fallback.

import { Action } from './action.js';
import { isOfWayBack } from './commands.js';
import { ask } from './dialog.js';
import { element, redraw, setText } from './elements.js';
import { choices, drawReport, verdict } from './go-or-no-go.js';
import { progress } from './cutover.js';
import { DONE, NOT_COVERED, request, UNANSWERED, UNDECIDED } from './request.js';

const RUNS = 'cutting-over';

export class CutoverGuide {
  #target;
  #task = '';
  #phase = '';
  #accepted = new Set();
  #report = null;

  /** What the report was asked for; it says nothing about other values. */
  #reportedFor = null;

  #budget = number('cutover-budget', '5', '0.5');
  #timeout = number('cutover-timeout', '300', '1');
  #title = element('h3');
  #found = element('div', { id: 'cutover-findings' });
  #rehearsal = element('div', { id: 'rehearsal' });
  #check;
  #rehearse;
  #decide;
  #join;

  constructor(target) {
    this.#target = target;
    this.#check = new Action({
      label: 'Check',
      about: 'Reads both sides, changes nothing and blocks nobody.',
      run: (asked) => this.#ask(asked),
    });
    this.#rehearse = new Action({
      label: 'Rehearse',
      about: 'Does everything up to the decision on the live system, and lets the writers go on.',
      run: (asked) => this.#confirm(asked, 'rehearse', 'Rehearse it?', 'Rehearse', rehearsalWords(this.#seconds())),
    });
    this.#decide = new Action({
      label: 'Cut over',
      about: 'The last step. It asks for the task’s name.',
      danger: true,
      run: (asked) => this.#confirm(asked, 'cutover', `${decision()} now?`, `${decision()} now`, this.#decisionWords(), this.#task),
    });
    this.#join = new Action({
      label: 'Continue it',
      about: 'Waits for what runs. If it stands after the decision, remove the cause first; then this continues it.',
      danger: true,
      run: (asked) => this.#confirm(asked, 'cutover', 'Continue it?', 'Continue it', this.#decisionWords(), this.#task),
    });
    [this.#budget, this.#timeout].forEach((field) => field.addEventListener('input', () => this.#show()));
    target.append(
      this.#title,
      element('h4', {}, '1. What is in the way'),
      element(
        'div',
        { class: 'form' },
        labelled('Budget: seconds for which writers may be stopped', this.#budget),
        labelled('Timeout: seconds to wait for the target to catch up', this.#timeout),
      ),
      this.#check.element,
      this.#found,
      element('h4', {}, '2. Rehearse'),
      this.#rehearse.element,
      this.#rehearsal,
      element('h4', {}, '3. Decide'),
      this.#decide.element,
      this.#join.element,
    );
  }

  draw({ task, phase, rehearsal }) {
    this.#task = task;
    this.#phase = phase;
    setText(this.#title, isOfWayBack() ? 'Bring the applications back, step by step' : 'Cut over, step by step');
    this.#decide.relabel(decision());
    redraw(this.#rehearsal, rehearsal ?? null, () => (rehearsal ? progress(rehearsal, 'of the rehearsal') : []));
    this.#show();
  }

  #show() {
    const why = this.#notYet();
    this.#check.block(null);
    this.#rehearse.block(why);
    this.#decide.block(why);
    this.#join.element.hidden = this.#phase !== RUNS && this.#join.outcome.children.length === 0;
    this.#join.block(this.#phase !== RUNS ? 'Nothing runs.' : this.#decide.isRunning ? 'This page waits for it already.' : null);
  }

  /** Why the next step cannot be done yet. The daemon checks it once more itself. */
  #notYet() {
    if (this.#phase !== 'replicating') {
      return `The task is in phase ${this.#phase}; this begins in phase replicating.`;
    }
    if (this.#report === null) {
      return 'Check first.';
    }
    if (this.#reportedFor === null) {
      return 'Check again first.';
    }
    if (this.#reportedFor !== this.#order().toString()) {
      return 'Budget, timeout or what you accept has changed since the check: check again.';
    }
    return this.#report.go ? null : 'The check says no-go.';
  }

  #seconds() {
    return this.#budget.value.trim();
  }

  /** As the command line sends it. */
  #order() {
    return new URLSearchParams([
      ['timeout', this.#timeout.value.trim()],
      ['budget', this.#seconds()],
      ['accept', [...this.#accepted].sort().join(',')],
    ]);
  }

  async #ask(asked) {
    asked();
    const order = this.#order();
    const outcome = await request('cutover-report', order);
    if (!outcome.body) {
      return outcome;
    }
    const isSameOrder = this.#order().toString() === order.toString();
    this.#report = outcome.body;
    // Nobody accepts what is not shown: it would be accepted unseen when it comes back.
    const shown = choices(this.#report);
    this.#accepted = new Set([...this.#accepted].filter((kind) => shown.has(kind)));
    this.#reportedFor = isSameOrder ? this.#order().toString() : null;
    drawReport(
      this.#found,
      this.#report,
      (kind) => this.#accepted.has(kind),
      (kind, accepted) => this.#accept(kind, accepted),
    );
    this.#show();
    return {
      ...outcome,
      ending: this.#report.go ? DONE : NOT_COVERED,
      word: this.#report.go ? 'Go' : 'No-go',
      message: verdict(this.#report),
    };
  }

  #accept(kind, accepted) {
    if (accepted) {
      this.#accepted.add(kind);
    } else {
      this.#accepted.delete(kind);
    }
    this.#show();
  }

  /** @param typed what the reader must type; empty: nothing */
  async #confirm(asked, path, title, label, words, typed = '') {
    const order = this.#order();
    const field = element('input', { id: 'task-typed', type: 'text', autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false' });
    const wanted = await ask({
      title,
      body: [
        words.map((sentence) => element('p', {}, sentence)),
        typed !== '' && labelled(`To confirm, type the task’s name: ${typed}`, field),
      ],
      confirm: label,
      danger: typed !== '',
      missing: () => (field.value === typed || typed === '' ? null : 'The name is not typed yet.'),
    });
    if (!wanted) {
      return null;
    }
    asked();
    // The check was of a moment that is over: the next step needs a new one.
    this.#reportedFor = null;
    this.#show();
    const outcome = await request(path, order);
    return outcome.ending === UNANSWERED && path === 'cutover' ? unanswered() : outcome;
  }

  #decisionWords() {
    return [
      `Writers wait for at most ${this.#seconds()} seconds while everything is proven. Whatever fails until then lets them go on as before.`,
      isOfWayBack()
        ? 'Then the new side refuses all writes, and the old source is the database to use again. After the decision nothing is taken back.'
        : 'Then the source refuses all writes for good, and the target is the database to use. After the decision nothing is taken back.',
      this.#accepted.size === 0 ? 'Nothing is accepted.' : `Accepted: ${[...this.#accepted].sort().join(', ')}.`,
    ];
  }
}

function decision() {
  return isOfWayBack() ? 'Fall back' : 'Cut over';
}

function rehearsalWords(seconds) {
  return [
    `The writers of the source wait for at most ${seconds} seconds, as they will in earnest; hooks hold the applications. Nothing is changed.`,
    'Do it at the hour of the real one.',
  ];
}

function unanswered() {
  return {
    ending: UNDECIDED,
    message:
      'The daemon’s answer did not arrive, and it may continue. Point no application elsewhere until this page shows that it is done or failed.',
    details: [],
  };
}

function number(id, value, least) {
  return element('input', { id, type: 'number', value, min: least, step: 'any', autocomplete: 'off' });
}

function labelled(label, field) {
  return element('p', {}, element('label', { for: field.id }, label), ' ', field);
}
