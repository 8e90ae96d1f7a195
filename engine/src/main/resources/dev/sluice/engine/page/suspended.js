// Tables that are not applied with the others: why, since when, and what helps.

import { argument, command } from './commands.js';
import { definitions, element, redraw } from './elements.js';
import { clock, count, counted, duration } from './format.js';

export function drawSuspended(target, tables) {
  redraw(target, tables, () =>
    tables.length === 0
      ? []
      : [
          element('h3', {}, 'Not applied with the others'),
          tables.map((table) =>
            element(
              'article',
              { class: `suspended ${table.state === 'suspended' ? 'problem' : 'note'}` },
              element(
                'h4',
                {},
                element('span', { class: 'name' }, `${table.schema}.${table.table}`),
                ' ',
                element('span', { class: `badge ${table.state === 'suspended' ? 'problem' : 'note'}` }, table.state),
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
              help(table),
            ),
          ),
        ],
  );
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
