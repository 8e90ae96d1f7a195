// What is proven equal to the source, and which rows differ, by table.

import { command } from './commands.js';
import { element, redraw } from './elements.js';
import { clock, count, counted, duration } from './format.js';
import { TableView } from './table-view.js';

const NUMBERS = [
  ['failed', 'Differ', 'problem'],
  ['pending', 'Pending', 'warning'],
  ['suspended', 'Change too often', 'warning'],
  ['touched', 'Changed since', ''],
];

export class Proof {
  #summary = document.getElementById('proof-summary');
  #view = proofView();

  constructor() {
    document.getElementById('proof-body').append(this.#view.element);
  }

  draw({ validation }) {
    this.#view.element.hidden = !validation;
    if (!validation) {
      redraw(this.#summary, null, () => [
        element(
          'p',
          {},
          'Nothing is compared at present: that needs EnableValidation, and changes that are applied. Once, by hand:',
        ),
        element('p', {}, command('validate')),
      ]);
      return;
    }
    redraw(this.#summary, { ...validation, tables: validation.tables.length, failed: failed(validation) }, () =>
      summary(validation),
    );
    this.#view.update(validation.tables.map((table) => ({ ...table, name: `${table.schema}.${table.table}` })));
  }
}

function failed(validation) {
  return validation.tables.reduce((sum, table) => sum + table.failed, 0);
}

function summary(validation) {
  const all = validation.tables.length;
  return [
    element(
      'p',
      { class: 'progress' },
      element('progress', { max: Math.max(1, all), value: validation.proven_tables, 'aria-label': 'Tables whose every row is proven equal' }),
      ' ',
      element('strong', {}, `${count(validation.proven_tables)} of ${counted(all, 'table')}`),
      ' proven equal, row by row.',
    ),
    element(
      'p',
      { class: 'quiet' },
      `${counted(validation.sessions, 'session')} compared ${counted(validation.rows, 'row')} and ${counted(validation.keys, 'single row')}`,
      validation.last_seconds !== null && `; the last one took ${duration(validation.last_seconds)}`,
      '.',
    ),
    validation.waiting && element('p', {}, `It waits: ${validation.waiting}`),
    validation.start && element('p', { class: 'quiet' }, validation.start),
    failed(validation) > 0 && [
      element('p', {}, 'Differing rows are in sluice_validation_failures_v2 on the target. To make them equal to the source:'),
      element('p', {}, command('repair')),
    ],
  ];
}

function proofView() {
  return new TableView({
    id: 'proof-list',
    caption: 'Proof by table',
    noun: 'table',
    columns: [
      { name: 'name', heading: 'Table', value: (row) => row.name },
      { name: 'state', heading: 'State', value: (row) => row.state ?? '' },
      {
        name: 'proven',
        heading: 'Proven',
        value: (row) => (row.proven ? 'every row' : 'not yet'),
        kind: (row) => (row.proven ? 'fine' : ''),
      },
      ...NUMBERS.map(([name, heading, kind]) => ({
        name,
        heading,
        numeric: true,
        value: (row) => row[name],
        text: (row) => count(row[name]),
        kind: (row) => (row[name] > 0 ? kind : ''),
      })),
      { name: 'read', heading: 'Read whole', value: (row) => row.read?.at, text: (row) => clock(row.read?.at) },
      { name: 'rows', heading: 'Rows read', numeric: true, value: (row) => row.read?.rows, text: (row) => count(row.read?.rows) },
      {
        name: 'reading',
        heading: 'Being read',
        value: (row) => row.reading?.at,
        text: (row) => (row.reading ? `${counted(row.reading.rows, 'row')} since ${clock(row.reading.at)}` : ''),
      },
      {
        name: 'notes',
        heading: 'Remarks',
        value: (row) =>
          [
            row.problem,
            row.followed ? null : 'changes since it was read are not all known',
            ...row.not_compared.map((column) => `not compared: ${column}`),
          ]
            .filter((remark) => remark)
            .join('; '),
        kind: (row) => (row.problem ? 'warning' : ''),
        style: 'prose',
      },
    ],
    key: (row) => JSON.stringify([row.schema, row.table]),
    text: (row) => `${row.name} ${row.state} ${row.problem ?? ''}`,
    filters: [
      { label: 'all tables', test: () => true },
      { label: 'tables with findings', test: (row) => row.problem || row.failed + row.pending + row.suspended > 0 },
      { label: 'tables that are not proven', test: (row) => !row.proven },
    ],
    sortedBy: 'failed',
    descending: true,
  });
}
