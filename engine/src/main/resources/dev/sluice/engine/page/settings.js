// Settings in effect with their origin, the last changes, and edits that are not in effect.

import { element, redraw } from './elements.js';
import { clock } from './format.js';
import { TableView } from './table-view.js';

export class Settings {
  #notes = document.getElementById('settings-notes');
  #view = settingsView();

  constructor() {
    document.getElementById('settings-body').append(this.#view.element);
  }

  draw({ settings }) {
    const { changes, problems, waiting_for_restart: waiting, tables } = settings;
    redraw(this.#notes, [changes, problems, waiting, tables], () => [
      problems.map((problem) => element('p', { class: 'message warning' }, `The files have a problem: ${problem}`)),
      texts('In effect from the next start on', waiting),
      texts('Of single tables', Object.entries(tables).map(([table, setting]) => `${table}: ${setting}`)),
      texts(
        'Changed while the task ran',
        [...changes].reverse().map((change) => `${clock(change.at)} ${change.setting}: ${change.before} became ${change.after} (${change.from})`),
      ),
    ]);
    this.#view.update(Object.entries(settings.in_effect).map(([path, setting]) => ({ path, ...setting })));
  }
}

function texts(title, lines) {
  return lines.length === 0
    ? []
    : [element('h3', {}, title), element('ul', { class: 'lines' }, lines.map((line) => element('li', {}, line)))];
}

function settingsView() {
  return new TableView({
    id: 'settings-list',
    caption: 'Settings',
    noun: 'setting',
    columns: [
      { name: 'path', heading: 'Setting', value: (row) => row.path },
      { name: 'value', heading: 'Value', value: (row) => row.value, text: (row) => (row.effective ? `${row.value}, in effect ${row.effective}` : row.value) },
      { name: 'from', heading: 'From', value: (row) => row.from, kind: (row) => (row.from === 'default' ? '' : 'note') },
      { name: 'live', heading: 'Changes while it runs', value: (row) => (row.live ? 'yes' : 'at the next start') },
    ],
    key: (row) => row.path,
    text: (row) => `${row.path} ${row.value} ${row.from}`,
    filters: [
      { label: 'those that differ from their defaults', test: (row) => row.from !== 'default' },
      { label: 'all settings', test: () => true },
      { label: 'those that change while the task runs', test: (row) => row.live },
    ],
    sortedBy: 'path',
  });
}
