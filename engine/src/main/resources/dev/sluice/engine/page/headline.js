// The task's name, phase and verdict, in the page and in the browser's tab.

import { element, redraw, setText } from './elements.js';
import { clock, counted } from './format.js';

const PHASES = {
  starting: 'The daemon starts.',
  checking: 'The task file, the servers and Kafka are checked.',
  preparing: 'Publication, slot, topics and target tables are prepared.',
  armed: 'The way back is ready and waits for the cutover.',
  'full-load': 'Tables are copied. Changes made meanwhile are kept in the journal.',
  completing: 'All rows are copied. Indexes and constraints are made.',
  'catching-up': 'Changes made before the replication began are applied.',
  replicating: 'Changes are applied as they come.',
  'cutting-over': 'A cutover is running.',
  'cut-over': 'The target is the one to use. No more changes are applied; the source is watched.',
  stopping: 'The task is ending. Its next start continues.',
  stopped: 'The task has ended. Its next start continues.',
  failed: 'The task has failed. It does nothing until it is started again.',
};

const MARKS = { problem: '✖', warning: '▲', note: '●', fine: '●' };

export class Headline {
  #task = document.getElementById('task');
  #phase = document.getElementById('phase');
  #state = document.getElementById('state');

  draw(status, found) {
    const level = found[0]?.level ?? 'fine';
    setText(this.#task, status.task);
    setText(this.#phase, status.phase);
    this.#phase.hidden = false;
    this.#phase.className = `badge ${level}`;
    document.title = `${MARKS[level]} ${status.task}: ${level === 'problem' ? 'problem' : status.phase} – Sluice`;
    const verdict = words(found);
    redraw(this.#state, [verdict, status.phase, status.since, status.reason], () => [
      element('p', { class: `verdict ${level}` }, verdict),
      element(
        'p',
        {},
        PHASES[status.phase] ?? '',
        ' ',
        element('span', { class: 'quiet' }, `${status.phase} since ${clock(status.since)}`),
        status.reason && status.phase !== 'failed' && element('span', { class: 'quiet' }, `: ${status.reason}`),
      ),
    ]);
  }

  /** What it showed last is old: nobody knows whether it is still so. */
  lost(task) {
    document.title = `✖ ${task ?? 'Sluice'}: no answer – Sluice`;
    this.#phase.className = 'badge';
    redraw(this.#state, ['lost', task], () =>
      element('p', { class: 'verdict problem' }, 'Unknown: the daemon does not answer'),
    );
  }
}

function words(found) {
  const problems = found.filter((finding) => finding.level === 'problem').length;
  const warnings = found.filter((finding) => finding.level === 'warning').length;
  if (problems > 0) {
    return warnings > 0
      ? `${counted(problems, 'problem')} and ${counted(warnings, 'warning')}`
      : counted(problems, 'problem');
  }
  return warnings > 0 ? counted(warnings, 'warning') : 'Healthy: nothing needs attention';
}
