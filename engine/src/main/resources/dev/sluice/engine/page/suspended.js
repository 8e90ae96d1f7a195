// Tables that are not applied with the others: why, since when, and what helps.

import { Action } from './action.js';
import { argument, command, tableParameter } from './commands.js';
import { ask } from './dialog.js';
import { definitions, element, redraw } from './elements.js';
import { clock, count, counted, duration } from './format.js';
import { request } from './request.js';

/** Phases in which the daemon applies no changes any more. */
const ENDED = ['cutting-over', 'cut-over', 'stopping', 'stopped', 'failed'];

export class Suspended {
  #title = element('h3', {}, 'Not applied with the others');
  #articles = new Map();

  /** What came of commands for tables that are applied with the others again. */
  #kept = element('div');
  #list = element('div');

  constructor(target) {
    target.append(this.#title, this.#kept, this.#list);
    this.#title.hidden = true;
  }

  draw({ suspended, phase }) {
    const keys = new Set(suspended.map(keyOf));
    for (const [key, article] of this.#articles) {
      if (!keys.has(key) && !article.isRunning) {
        article.outcomes().forEach((outcome) => this.#kept.append(outcome));
        article.remove();
        this.#articles.delete(key);
      }
    }
    for (const table of suspended) {
      const key = keyOf(table);
      if (!this.#articles.has(key)) {
        const article = new Article(table);
        this.#articles.set(key, article);
        this.#list.append(article.element);
      }
      this.#articles.get(key).draw(table, phase);
    }
    this.#title.hidden = suspended.length === 0 && this.#kept.children.length === 0;
  }
}

function keyOf(table) {
  return JSON.stringify([table.schema, table.table]);
}

class Article {
  #facts = element('div');
  #help = element('div');
  #actions;
  #resume;
  #reload;
  element;

  constructor({ schema, table }) {
    const name = `${schema}.${table}`;
    const parameters = [tableParameter(schema, table)];
    this.#resume = new Action({
      label: `Resume ${name}`,
      about: 'It gets the changes that it lacks, in their order, and then joins the others. Remove the cause first.',
      run: (asked) => {
        asked();
        return request('resume', parameters);
      },
    });
    this.#reload = new Action({
      label: `Copy ${name} again`,
      about: 'Its rows on the target are replaced.',
      danger: true,
      run: async (asked) => {
        if (!(await isReloadWanted(name))) {
          return null;
        }
        asked();
        return request('reload', parameters);
      },
    });
    this.#actions = element('div', {}, this.#resume.element, this.#reload.element);
    this.element = element('article', {}, this.#facts, this.#help, this.#actions);
  }

  get isRunning() {
    return this.#resume.isRunning || this.#reload.isRunning;
  }

  /** Those that say something. */
  outcomes() {
    return [this.#resume.outcome, this.#reload.outcome].filter((outcome) => outcome.children.length > 0);
  }

  remove() {
    this.#resume.remove();
    this.#reload.remove();
    this.element.remove();
  }

  draw(table, phase) {
    const waits = table.state === 'suspended';
    this.element.className = `suspended ${waits ? 'problem' : 'note'}`;
    redraw(this.#facts, table, () => facts(table));
    redraw(this.#help, [table.state, table.rows_whole], () => help(table));
    const blocked = ENDED.includes(phase)
      ? `The task is in phase ${phase}: nothing is applied.`
      : waits
        ? null
        : `It is ${table.state} already.`;
    this.#resume.block(blocked ?? (table.rows_whole ? null : 'Its rows on the target are not complete: copy it again.'));
    this.#reload.block(blocked);
  }
}

function isReloadWanted(name) {
  return ask({
    title: `Copy ${name} again?`,
    body: [
      element(
        'p',
        {},
        'The table is emptied on the target (or created again, if TargetTablePrepMode is DROP_AND_CREATE and it does not fit the source’s). Then it is filled from a snapshot of the source, catches up, and joins the others.',
      ),
      element('p', {}, 'Until it is filled, whoever reads it on the target finds rows missing. Rows that only the target has are gone.'),
      element('p', {}, 'The other tables go on. PostgreSQL as a source needs one free replication slot meanwhile.'),
    ],
    confirm: 'Empty and copy it again',
    danger: true,
  });
}

function facts(table) {
  const level = table.state === 'suspended' ? 'problem' : 'note';
  return [
    element(
      'h4',
      {},
      element('span', { class: 'name' }, `${table.schema}.${table.table}`),
      ' ',
      element('span', { class: `badge ${level}` }, table.state),
    ),
    element('p', { class: 'message' }, table.reason ?? 'No reason is known.'),
    definitions([
      ['since', clock(table.since)],
      ['first missing change', table.first_missing],
      ['applied up to', table.position],
      ['rows copied again', table.rows_copied === null ? null : count(table.rows_copied)],
      [
        'behind the others',
        counted(table.behind_records, 'journal record') +
          (table.behind_seconds === null ? '' : `, ${duration(table.behind_seconds)}`),
      ],
    ]),
  ];
}

function help(table) {
  const name = argument(table.schema, table.table);
  if (table.state !== 'suspended') {
    return [];
  }
  if (!table.rows_whole) {
    return [
      element('p', {}, 'Its rows on the target are not complete. Copy the table again:'),
      element('p', {}, command('reload', name)),
    ];
  }
  return [
    element('p', {}, 'Remove the cause, then let it catch up; or copy it again:'),
    element('p', {}, command('resume', name)),
    element('p', {}, command('reload', name)),
  ];
}
