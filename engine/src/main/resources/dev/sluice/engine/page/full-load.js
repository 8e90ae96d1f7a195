// The full load: all tables together, each table, and what is made after the rows.

import { element, redraw } from './elements.js';
import { clock, count, counted, duration, percent, rate, size, UNKNOWN } from './format.js';
import { TableView } from './table-view.js';

export class FullLoad {
  #section = document.getElementById('full-load');
  #link = document.querySelector('[data-for="full-load"]');
  #summary = element('div');
  #tables = loadView();
  #steps = stepsView();

  constructor() {
    document.getElementById('full-load-body').append(this.#summary, this.#tables.element, this.#steps.element);
  }

  draw(status) {
    const load = status.full_load;
    const hidden = !load && status.completion.length === 0;
    this.#section.hidden = hidden;
    this.#link.hidden = hidden;
    if (hidden) {
      return;
    }
    redraw(this.#summary, [load, status.throughput.throttled, status.completion], () => [
      ...(load ? summary(load, status.throughput.throttled) : []),
      ...completion(status.completion),
    ]);
    const tables = status.tables.filter((table) => table.full_load);
    this.#tables.element.hidden = tables.length === 0;
    this.#tables.update(tables);
    this.#steps.element.hidden = status.completion.length === 0;
    this.#steps.update(status.completion);
  }
}

function summary(load, throttled) {
  return [
    element(
      'p',
      { class: 'progress' },
      element('progress', { max: 100, value: load.percent, 'aria-label': 'Full load of all tables' }),
      ' ',
      element('strong', {}, percent(load.percent)),
      ` ${load.state}: ${counted(load.rows, 'row')}${load.expected_rows ? ` of about ${count(load.expected_rows)}` : ''}, ${size(load.bytes)}, ${rate(load.rows_per_second)}`,
      load.state === 'running' && (load.seconds_left === null ? '; time left unknown' : `; ${duration(load.seconds_left)} left`),
    ),
    throttled && element('p', {}, 'LoadRowsPerSecond or LoadMegabytesPerSecond slows it down.'),
  ];
}

function completion(steps) {
  if (steps.length === 0) {
    return [];
  }
  const done = steps.filter((step) => step.state === 'done').length;
  return [
    element(
      'p',
      {},
      `${count(done)} of ${counted(steps.length, 'index, constraint or the like', 'indexes, constraints and the like')} made.`,
    ),
  ];
}

function loadView() {
  return new TableView({
    id: 'load-list',
    caption: 'Progress of each table',
    noun: 'table',
    columns: [
      { name: 'name', heading: 'Table', value: (row) => `${row.schema}.${row.table}` },
      {
        name: 'state',
        heading: 'State',
        value: (row) => row.full_load.state,
        kind: (row) => (row.full_load.state === 'failed' ? 'problem' : ''),
      },
      { name: 'percent', heading: 'Done', numeric: true, value: (row) => row.full_load.percent, text: (row) => percent(row.full_load.percent) },
      { name: 'left', heading: 'Time left', numeric: true, value: (row) => row.full_load.seconds_left, text: (row) => (row.full_load.state === 'running' ? duration(row.full_load.seconds_left) : UNKNOWN) },
      { name: 'rows', heading: 'Rows', numeric: true, value: (row) => row.full_load.rows, text: (row) => count(row.full_load.rows) },
      { name: 'expected', heading: 'Expected', numeric: true, value: (row) => row.full_load.expected_rows, text: (row) => count(row.full_load.expected_rows) },
      { name: 'bytes', heading: 'Size', numeric: true, value: (row) => row.full_load.bytes, text: (row) => size(row.full_load.bytes) },
      { name: 'rate', heading: 'Rate', numeric: true, value: (row) => row.full_load.rows_per_second, text: (row) => rate(row.full_load.rows_per_second) },
    ],
    key: (row) => JSON.stringify([row.schema, row.table]),
    text: (row) => `${row.schema}.${row.table} ${row.full_load.state}`,
    filters: [
      { label: 'all tables', test: () => true },
      { label: 'tables that are not done', test: (row) => row.full_load.state !== 'done' },
    ],
    sortedBy: 'left',
    descending: true,
  });
}

function stepsView() {
  return new TableView({
    id: 'steps-list',
    caption: 'Indexes, constraints and the like',
    noun: 'step',
    columns: [
      { name: 'name', heading: 'Name', value: (step) => step.name },
      { name: 'kind', heading: 'Kind', value: (step) => step.kind },
      { name: 'table', heading: 'Table', value: (step) => `${step.schema}.${step.table}` },
      {
        name: 'state',
        heading: 'State',
        value: (step) => step.state,
        kind: (step) => (step.state === 'failed' ? 'problem' : step.state === 'skipped' ? 'warning' : ''),
      },
      { name: 'started', heading: 'Begun', value: (step) => step.started, text: (step) => clock(step.started) },
      { name: 'seconds', heading: 'Took', numeric: true, value: (step) => step.seconds, text: (step) => (step.started ? duration(step.seconds) : UNKNOWN) },
      { name: 'detail', heading: 'Why', value: (step) => step.detail ?? '', style: 'prose' },
    ],
    key: (step) => JSON.stringify([step.kind, step.schema, step.table, step.name]),
    text: (step) => `${step.name} ${step.kind} ${step.schema}.${step.table} ${step.state} ${step.detail ?? ''}`,
    filters: [
      { label: 'all steps', test: () => true },
      { label: 'steps that are not done', test: (step) => step.state !== 'done' },
    ],
  });
}
