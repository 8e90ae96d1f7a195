// Makes the rows that the validation has listed as different equal to the source's.

import { Action } from './action.js';
import { tableParameter } from './commands.js';
import { ask } from './dialog.js';
import { element } from './elements.js';
import { count, counted, differing } from './format.js';
import { request } from './request.js';

const ALL = '';

export class Repair {
  #listed = [];
  #target;
  #action = new Action({
    label: 'Repair rows',
    about: 'Rows that are listed as different become equal to the source’s, while the task runs.',
    run: (asked) => this.#repair(asked),
  });

  constructor(target) {
    this.#target = target;
    target.append(this.#action.element);
  }

  draw({ validation }) {
    this.#listed = (validation?.tables ?? []).filter((table) => table.failed > 0);
    this.#action.block(this.#listed.length > 0 ? null : 'No row is listed as different.');
    this.#target.hidden = this.#listed.length === 0 && this.#action.outcome.children.length === 0;
  }

  async #repair(asked) {
    const listed = this.#listed;
    const tables = element(
      'select',
      { id: 'repair-tables' },
      element('option', { value: ALL }, `all: ${differing(listed.reduce((sum, table) => sum + table.failed, 0))}`),
      listed.map((table, index) =>
        element('option', { value: index }, `${table.schema}.${table.table}: ${count(table.failed)}`),
      ),
    );
    const deletes = element('input', { id: 'repair-deletes', type: 'checkbox' });
    const wanted = await ask({
      title: 'Repair rows of the target?',
      body: [
        element('p', {}, `${counted(listed.length, 'table')} with differing rows.`),
        element('p', {}, element('label', { for: tables.id }, 'Tables'), ' ', tables),
        element(
          'p',
          {},
          'Listed rows of the target are overwritten with the source’s, and missing ones are inserted. Rows that change meanwhile are left for another attempt. Both images stay in sluice_validation_failures_v2.',
        ),
        element(
          'p',
          {},
          deletes,
          ' ',
          element('label', { for: deletes.id }, 'Also delete listed rows that only the target has. Without it they are left.'),
        ),
      ],
      confirm: 'Repair',
      danger: true,
    });
    if (!wanted) {
      return null;
    }
    asked();
    const table = listed[Number(tables.value)];
    return request('repair', [
      ...(tables.value === ALL ? [] : [tableParameter(table.schema, table.table)]),
      ...(deletes.checked ? [['delete-extra', 'true']] : []),
    ]);
  }
}
