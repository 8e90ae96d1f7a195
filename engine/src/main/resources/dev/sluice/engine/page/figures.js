// The few figures that say how the task does: lag, backlog, rates, room, proof, tables.

import { outlook, waiting, words } from './backlog.js';
import { element, setText } from './elements.js';
import { count, counted, differing, duration, hours, percent, rate } from './format.js';
import { slowest, tableRows } from './tables.js';

export class Figures {
  #tiles = new Map();

  constructor(target) {
    for (const [name, label, section] of [
      ['behind', 'Behind the source', 'plots'],
      ['waiting', 'Waiting to be applied', 'plots'],
      ['rate', 'Rate', 'plots'],
      ['room', 'Room', 'servers'],
      ['proven', 'Proven equal', 'proof'],
      ['tables', 'Tables', 'tables'],
      ['slowest', 'Slowest table', 'tables'],
      ['stopped', 'A cutover stops writers for', 'cutover'],
    ]) {
      const tile = new Tile(label, section);
      this.#tiles.set(name, tile);
      target.append(tile.element);
    }
  }

  /** @param now in milliseconds since 1970, by the daemon's clock */
  draw(status, now) {
    this.#show('behind', behind(status));
    this.#show('waiting', waits(status, now));
    this.#show('rate', rates(status));
    this.#show('room', room(status));
    this.#show('proven', proven(status));
    this.#show('tables', tables(status));
    this.#show('slowest', slowest(tableRows(status)));
    this.#show('stopped', stopped(status));
  }

  #show(name, [value, detail]) {
    this.#tiles.get(name).show(value, detail);
  }
}

class Tile {
  #value = element('span', { class: 'figure' });
  #detail = element('span', { class: 'detail' });
  element;

  constructor(label, section) {
    this.element = element(
      'div',
      {},
      element('dt', {}, element('a', { href: `#${section}` }, label)),
      element('dd', {}, this.#value, ' ', this.#detail),
    );
  }

  show(value, detail) {
    setText(this.#value, value);
    setText(this.#detail, detail);
  }
}

function behind({ latency }) {
  if (latency.target_seconds === null) {
    return latency.source_seconds === null
      ? ['–', 'nothing is captured or applied']
      : ['–', `nothing is applied; the journal is ${duration(latency.source_seconds)} behind`];
  }
  return [duration(latency.target_seconds), `the journal ${duration(latency.source_seconds)}`];
}

function waits({ backlog, throughput }, now) {
  const seen = outlook(backlog.changes, throughput.source_rows_per_second, throughput.target_rows_per_second);
  return [waiting(backlog.changes), words(seen, now)];
}

function rates({ throughput, full_load: load }) {
  if (load?.state === 'running') {
    return [
      rate(throughput.full_load_rows_per_second),
      `loaded, ${percent(load.percent)} done, ${load.seconds_left === null ? 'time left unknown' : `${duration(load.seconds_left)} left`}`,
    ];
  }
  return [
    rate(throughput.target_rows_per_second),
    `applied; the source makes ${rate(throughput.source_rows_per_second)}`,
  ];
}

/** Of the disk that is full first. */
function room({ guards }) {
  const filling = guards.filter((guard) => guard.hours_left !== null);
  if (filling.length > 0) {
    const first = filling.reduce((one, other) => (one.hours_left <= other.hours_left ? one : other));
    return [hours(first.hours_left), `until the ${first.name} is full, at the present rate`];
  }
  if (guards.length === 0) {
    return ['–', 'not measured yet'];
  }
  const unlimited = guards.filter((guard) => guard.limited_by === null);
  return unlimited.length > 0
    ? ['No limit known', `of the ${unlimited.map((guard) => guard.name).join(' and ')}`]
    : ['Does not fill', `neither ${guards.map((guard) => guard.name).join(' nor ')}`];
}

function proven({ validation }) {
  if (!validation) {
    return ['–', 'nothing is compared at present'];
  }
  const total = (name) => validation.tables.reduce((sum, table) => sum + table[name], 0);
  return [
    `${count(validation.proven_tables)} of ${counted(validation.tables.length, 'table')}`,
    `${differing(total('failed'))}, ${count(total('pending') + total('suspended'))} unknown, ${count(total('touched'))} changed since`,
  ];
}

function tables({ tables: all, suspended }) {
  const rejected = all.reduce((sum, table) => sum + table.conflicts, 0);
  return [
    counted(all.length, 'table'),
    `${count(suspended.filter((table) => table.state === 'suspended').length)} suspended, ${counted(rejected, 'change')} rejected`,
  ];
}

/** What the last rehearsal measured; a check says what an earlier daemon's did. */
function stopped({ rehearsal, cutover, phase }) {
  if (phase === 'cut-over') {
    return ['–', cutover ? 'it is done' : 'it was done'];
  }
  if (rehearsal?.result === 'done') {
    return [duration(rehearsal.seconds_to_verdict), 'as in the last rehearsal'];
  }
  return ['not known yet', rehearsal?.result === 'running' ? 'a rehearsal runs' : 'a rehearsal measures it'];
}
