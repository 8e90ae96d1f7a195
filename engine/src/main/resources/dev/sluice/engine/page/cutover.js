// A running or ended cutover, and the source after it.

import { command } from './commands.js';
import { definitions, element, redraw, setText } from './elements.js';
import { clock, count, counted, duration } from './format.js';

/** @param spoken says the step to a screen reader when it changes */
export function drawCutover(target, spoken, status) {
  setText(spoken, status.cutover ? `Cutover ${status.cutover.result}: ${status.cutover.step}` : '');
  redraw(target, [status.cutover, status.source_watch], () => [
    status.cutover ? progress(status.cutover) : none(),
    status.source_watch ? watch(status.source_watch) : [],
  ]);
}

function none() {
  return [
    element('p', {}, 'No cutover has begun. What is in its way, without changing anything:'),
    element('p', {}, command('cutover', '--dry-run')),
  ];
}

/**
 * A cutover or a rehearsal, running or ended.
 *
 * @param whose follows the headings of its report and timeline
 */
export function progress(cutover, whose = '') {
  const level = { done: 'fine', failed: 'problem' }[cutover.result] ?? 'note';
  return [
    element(
      'p',
      {},
      element('span', { class: `badge ${level}` }, cutover.result),
      ' ',
      cutover.step,
      cutover.seconds_to_verdict !== null && `; ${duration(cutover.seconds_to_verdict)} to the verdict`,
    ),
    lines(`Report ${whose}`, 'ul', cutover.report),
    lines(`Timeline ${whose}`, 'ol', cutover.timeline),
  ];
}

function lines(title, list, texts) {
  return texts.length === 0
    ? []
    : [
        element('h3', {}, title),
        element(list, { class: 'lines' }, texts.map((text) => element('li', {}, text))),
      ];
}

function watch(source) {
  const written = source.changes > 0 || source.sequences.length > 0;
  return [
    element('h3', {}, 'The old source since the cutover'),
    element(
      'p',
      { class: written ? 'message problem' : '' },
      written
        ? `${counted(source.changes, 'change')} that the target does not get. Switch that writer off and copy its changes by hand.`
        : 'Nobody has written to it.',
    ),
    definitions([
      ['checked at', clock(source.looked_at)],
      ['cannot be watched', source.unwatched],
      [
        'tables',
        source.tables.length === 0
          ? null
          : source.tables.map((table) => `${table.schema}.${table.table}: ${count(table.changes)}`).join(', '),
      ],
      ['sequences that returned values', source.sequences.length === 0 ? null : source.sequences.join(', ')],
    ]),
  ];
}
