// The servers, the disks that can fill, the journal, the lanes and the windows.

import { definitions, element, redraw } from './elements.js';
import { clock, count, counted, duration, hours, size, UNKNOWN } from './format.js';

export class Servers {
  #servers = element('div');
  #disks = element('div');
  #storage = element('div');
  #lanes = element('div');

  constructor(target) {
    target.append(this.#servers, this.#disks, this.#storage, this.#lanes);
  }

  draw(status) {
    const { endpoints, guards, source, target, journal, memory, swap, lanes, windows } = status;
    redraw(this.#servers, endpoints, () =>
      list('Servers', ['Server', 'State', 'Last answer', 'Problem'], endpoints.map(server)),
    );
    redraw(this.#disks, guards, () =>
      list('Room on disks that can fill', ['Disk', 'State', 'Held', 'Room', 'Limited by', 'In an hour', 'Time left'], guards.map(disk)),
    );
    redraw(this.#storage, [source, target, journal, memory, swap, windows], () => storage(status));
    redraw(this.#lanes, lanes, () =>
      lanes.length > 0 && list('Lanes', ['Lane', 'Behind', 'Position', 'Applied', 'Waiting', 'Tables'], lanes.map(lane)),
    );
  }
}

function storage({ source, target, journal, memory, swap, windows }) {
  return [
    element('h3', {}, 'Positions and storage'),
    definitions([
      ['journal has the source up to', source.position ?? UNKNOWN],
      ["end of the source's log", source.end ?? UNKNOWN],
      ['target has it up to', target.position ?? UNKNOWN],
      ['durable on the target', target.durable ?? UNKNOWN],
      ['the source keeps its log for', source.retention],
      ['log that it keeps', size(source.retained_bytes)],
      ['journal', journalWords(journal)],
      ['memory', `${size(memory.bytes)} of ${size(memory.limit_bytes)}; Java's heap ${size(memory.heap_bytes)} of ${size(memory.heap_limit_bytes)}`],
      ['swap', `${size(swap.bytes)} of ${size(swap.limit_bytes)}, ${counted(swap.files, 'file')}; ${counted(swap.transactions_spilled, 'transaction')} since the start`],
      ['windows', windowWords(windows)],
    ]),
  ];
}

function journalWords(journal) {
  const limit = journal.limit_bytes ? ` of ${size(journal.limit_bytes)}` : '';
  const broker = journal.embedded ? 'broker in the daemon' : 'your cluster';
  return `${size(journal.bytes)}${limit}, ${broker}, topic ${journal.topic ?? UNKNOWN}`;
}

function windowWords({ applied, last }) {
  return last
    ? `${count(applied)} applied; the last closed by ${last.reason}: ${counted(last.changes, 'change')} to ${count(last.net_changes)} net in ${count(last.milliseconds)} ms`
    : `${count(applied)} applied`;
}

function server(endpoint) {
  const asked = endpoint.up || endpoint.problem;
  return [
    endpoint.name,
    { text: endpoint.up ? 'answers' : asked ? 'does not answer' : 'not asked yet', kind: endpoint.up ? 'fine' : asked ? 'problem' : '' },
    clock(endpoint.last_ok),
    { text: endpoint.problem ?? '', kind: 'prose' },
  ];
}

function disk(guard) {
  return [
    guard.name,
    { text: guard.level, kind: guard.level },
    { text: size(guard.bytes), kind: 'number' },
    { text: guard.room_bytes === null ? 'no limit known' : size(guard.room_bytes), kind: 'number' },
    guard.limited_by ?? UNKNOWN,
    { text: growth(guard.bytes_per_hour), kind: 'number' },
    { text: guard.hours_left === null ? 'does not fill' : hours(guard.hours_left), kind: 'number' },
  ];
}

function growth(bytesPerHour) {
  if (bytesPerHour === null) {
    return UNKNOWN;
  }
  return bytesPerHour < 0 ? `${size(-bytesPerHour)} less` : `${size(bytesPerHour)} more`;
}

function lane(one) {
  return [
    one.lane,
    { text: duration(one.behind_seconds), kind: 'number' },
    one.position ?? UNKNOWN,
    { text: count(one.changes), kind: 'number' },
    { text: count(one.backlog), kind: 'number' },
    { text: one.tables.length === 0 ? 'all other tables' : one.tables.join(', '), kind: 'prose' },
  ];
}

/** A short table; each cell is a text, or a text with its kind. */
function list(caption, headings, rows) {
  return element(
    'div',
    { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption },
    element(
      'table',
      {},
      element('caption', {}, caption),
      element(
        'thead',
        {},
        element(
          'tr',
          {},
          headings.map((heading, index) =>
            element('th', { scope: 'col', class: rows[0]?.[index].kind === 'number' ? 'number' : null }, heading),
          ),
        ),
      ),
      element(
        'tbody',
        {},
        rows.map(([name, ...cells]) =>
          element(
            'tr',
            {},
            element('th', { scope: 'row' }, name),
            cells.map((cell) => element('td', { class: cell.kind || null }, cell.text ?? cell)),
          ),
        ),
      ),
    ),
  );
}
