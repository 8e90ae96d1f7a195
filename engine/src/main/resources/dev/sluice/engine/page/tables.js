// All tables with state, lag and counters.

import { clock, count, counted, duration, UNKNOWN } from './format.js';
import { TableView } from './table-view.js';

const NUMBERS = [
  ['inserts', 'Inserts'],
  ['updates', 'Updates'],
  ['deletes', 'Deletes'],
  ['ddls', 'DDL'],
  ['applied', 'Applied, net'],
  ['upserts', 'Upserts'],
  ['suspended_changes', 'Skipped'],
  ['values_cut', 'Values cut'],
  ['full_load_rows', 'Loaded'],
];

export function tablesView() {
  return new TableView({
    id: 'tables-list',
    caption: "Tables, counted since the daemon's start",
    noun: 'table',
    columns: [
      { name: 'name', heading: 'Table', value: (row) => row.name },
      { name: 'state', heading: 'State', value: (row) => row.state, kind: (row) => row.level },
      {
        name: 'behind',
        heading: 'Behind',
        numeric: true,
        value: (row) => row.behind,
        text: (row) => (row.behind === Infinity ? 'stands' : duration(row.behind)),
      },
      {
        name: 'conflicts',
        heading: 'Rejected',
        numeric: true,
        value: (row) => row.conflicts,
        text: (row) => count(row.conflicts),
        kind: (row) => (row.conflicts > 0 ? 'warning' : ''),
      },
      { name: 'last_rejection', heading: 'Last rejection', style: 'prose', value: (row) => row.last_rejection ?? '' },
      ...NUMBERS.map(([name, heading]) => ({
        name,
        heading,
        numeric: true,
        value: (row) => row[name],
        text: (row) => count(row[name]),
      })),
      {
        name: 'updated',
        heading: 'Last change',
        value: (row) => row.last_update_time,
        text: (row) => (row.last_update_time ? clock(row.last_update_time) : UNKNOWN),
      },
    ],
    key: (row) => row.key,
    text: (row) => `${row.name} ${row.state}`,
    filters: [
      { label: 'all tables', test: () => true },
      { label: 'tables that need attention', test: (row) => row.level !== '' || row.conflicts > 0 },
      { label: 'tables with changes', test: (row) => row.inserts + row.updates + row.deletes > 0 },
    ],
    sortedBy: 'name',
  });
}

/** The tables of a status, each with its lag: the way it comes to the target decides that. */
export function tableRows(status) {
  const suspended = new Map(status.suspended.map((table) => [keyOf(table), table]));
  const lanes = new Map(
    status.lanes.flatMap((lane) => lane.tables.map((table) => [table, lane.behind_seconds])),
  );
  const others = status.lanes.find((lane) => lane.tables.length === 0)?.behind_seconds ?? status.latency.target_seconds;
  return status.tables.map((table) => {
    const name = `${table.schema}.${table.table}`;
    const apart = suspended.get(keyOf(table));
    return {
      ...table,
      key: keyOf(table),
      name,
      applied: table.applied_inserts + table.applied_updates + table.applied_deletes,
      level: level(table, apart),
      behind: apart ? (apart.behind_seconds ?? Infinity) : (lanes.get(name) ?? others),
    };
  });
}

/** The table that is furthest behind, as a value and its detail; of several the first. */
export function slowest(rows) {
  const behind = rows.filter((row) => row.behind !== null && row.behind !== undefined);
  if (behind.length === 0) {
    return [UNKNOWN, 'nothing is applied'];
  }
  const most = behind.reduce((one, other) => (other.behind > one.behind ? other : one));
  const same = behind.filter((row) => row.behind === most.behind).length;
  const lag = most.behind === Infinity ? 'stands' : `${duration(most.behind)} behind`;
  return same === rows.length && same > 1
    ? ['none', `all are ${duration(most.behind)} behind: they share their way`]
    : [most.name, same === 1 ? lag : `${lag}, as ${counted(same - 1, 'other')}`];
}

function keyOf(table) {
  return JSON.stringify([table.schema, table.table]);
}

function level(table, apart) {
  if (apart) {
    return apart.state === 'suspended' ? 'problem' : 'note';
  }
  return /error|cancelled/i.test(table.state) ? 'problem' : '';
}
