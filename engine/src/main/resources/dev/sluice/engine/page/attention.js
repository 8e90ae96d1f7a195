// What needs somebody's attention, worst first. Pure, apart from drawing the list.

import { command } from './commands.js';
import { element, redraw } from './elements.js';
import { clock, count, counted } from './format.js';

const LEVELS = ['problem', 'warning', 'note'];

/** Each has a level, a section that shows more, a text, and where one helps a command. */
export function findings(status) {
  const found = [
    ...ofTask(status),
    ...ofServers(status),
    ...ofTables(status),
    ...ofProof(status),
    ...ofCutover(status),
    ...ofSettings(status),
  ];
  return found.sort((one, other) => LEVELS.indexOf(one.level) - LEVELS.indexOf(other.level));
}

function ofTask(status) {
  const found = [];
  if (status.phase === 'failed') {
    found.push({ level: 'problem', section: 'overview', text: `The task failed: ${status.reason}` });
  }
  if (status.problem && status.problem !== status.reason) {
    found.push({ level: 'problem', section: 'overview', text: status.problem });
  }
  return found;
}

function ofServers(status) {
  const found = status.endpoints
    .filter((endpoint) => !endpoint.up && endpoint.problem)
    .map((endpoint) => ({
      level: 'problem',
      section: 'servers',
      text: `The ${endpoint.name} does not answer${endpoint.last_ok ? ` since ${clock(endpoint.last_ok)}` : ''}: ${endpoint.problem}`,
    }));
  for (const guard of status.guards) {
    // The worst one is the task's problem already.
    if (guard.level !== 'fine' && !status.problem?.startsWith(`${guard.name}:`)) {
      found.push({ level: guard.level, section: 'servers', text: `The ${guard.name} fills: ${guard.words}` });
    }
  }
  if (status.source.ignored_messages > 0) {
    found.push({
      level: 'note',
      section: 'servers',
      text: `${counted(status.source.ignored_messages, 'message')} under the task's names in the source's log came from somebody else. They are ignored; find out who writes them.`,
    });
  }
  return found;
}

function ofTables(status) {
  const found = [];
  const suspended = status.suspended.filter((table) => table.state === 'suspended').length;
  if (suspended > 0) {
    found.push({
      level: 'problem',
      section: 'suspended',
      text: `${counted(suspended, 'table')} suspended: the target does not get ${suspended === 1 ? 'its' : 'their'} changes. Each is listed with its reason and the command that helps.`,
    });
  }
  const returning = status.suspended.length - suspended;
  if (returning > 0) {
    found.push({
      level: 'note',
      section: 'suspended',
      text: `${counted(returning, 'table')} on the way back to the others: copied again, or catching up.`,
    });
  }
  const rejected = sum(status.tables, 'conflicts');
  if (rejected > 0) {
    found.push({
      level: 'warning',
      section: 'tables',
      text: `The target rejected ${counted(rejected, 'change')} of ${counted(status.tables.filter((table) => table.conflicts > 0).length, 'table')} since the daemon's start. They are in the table sluice_apply_exceptions on the target.${lastRejection(status.tables)}`,
    });
  }
  const cut = sum(status.tables, 'values_cut');
  if (cut > 0) {
    found.push({
      level: 'note',
      section: 'tables',
      text: `${counted(cut, 'value')} cut, as LimitedSizeLobMode or the table's lob-settings ask.`,
    });
  }
  const failed = status.completion.filter((step) => step.state === 'failed');
  if (failed.length > 0) {
    found.push({
      level: 'problem',
      section: 'full-load',
      text: `${counted(failed.length, 'index or constraint', 'indexes or constraints')} could not be made; the first is ${failed[0].name}: ${failed[0].detail ?? 'no reason is known'}`,
    });
  }
  return found;
}

/** Of the table with the most of them. */
function lastRejection(tables) {
  const [most] = tables.filter((table) => table.last_rejection).sort((one, other) => other.conflicts - one.conflicts);
  return most ? `\nThe last one of ${most.schema}.${most.table}: ${most.last_rejection}` : '';
}

function ofProof(status) {
  const tables = status.validation?.tables ?? [];
  const found = [];
  const differing = sum(tables, 'failed');
  if (differing > 0) {
    found.push({
      level: 'problem',
      section: 'proof',
      text: `${counted(differing, 'row')} of ${counted(tables.filter((table) => table.failed > 0).length, 'table')} ${differing === 1 ? 'differs' : 'differ'} between source and target, listed in the table sluice_validation_failures_v2 on the target.`,
      command: 'repair',
    });
  }
  const incomparable = tables.filter((table) => table.problem);
  if (incomparable.length > 0) {
    found.push({
      level: 'warning',
      section: 'proof',
      text: `${counted(incomparable.length, 'table')} could not be compared; the first is ${incomparable[0].schema}.${incomparable[0].table}: ${incomparable[0].problem}`,
    });
  }
  return found;
}

function ofCutover(status) {
  const found = [];
  if (status.cutover?.result === 'failed') {
    found.push({ level: 'warning', section: 'cutover', text: `The last cutover failed: ${status.cutover.step}` });
  }
  const watch = status.source_watch;
  if (watch && (watch.changes > 0 || watch.sequences.length > 0)) {
    found.push({
      level: 'problem',
      section: 'cutover',
      text: `The old source is still written to: ${counted(watch.changes, 'change')}${watch.sequences.length ? ` and ${counted(watch.sequences.length, 'sequence')}` : ''} since the cutover, which the target does not get. Switch that writer off and copy its changes by hand.`,
    });
  }
  if (watch?.unwatched) {
    found.push({ level: 'warning', section: 'cutover', text: `The old source cannot be watched: ${watch.unwatched}` });
  }
  for (const block of status.fallback?.blocks ?? []) {
    found.push({ level: 'warning', section: 'way-back', text: `The way back is blocked: ${block}` });
  }
  return found;
}

function ofSettings(status) {
  return [
    ...status.settings.problems.map((problem) => ({
      level: 'warning',
      section: 'settings',
      text: `The files have a problem, so their last edit is not in effect: ${problem}`,
    })),
    ...(status.settings.waiting_for_restart.length > 0
      ? [
          {
            level: 'note',
            section: 'settings',
            text: `${counted(status.settings.waiting_for_restart.length, 'edited setting')} in effect from the next start on.`,
          },
        ]
      : []),
  ];
}

function sum(rows, name) {
  return rows.reduce((total, row) => total + (row[name] ?? 0), 0);
}

export function drawAttention(target, found) {
  redraw(target, found, () =>
    found.length === 0
      ? []
      : element(
          'ul',
          { class: 'attention', 'aria-label': 'What needs attention' },
          found.map((finding) =>
            element(
              'li',
              { class: finding.level },
              element('strong', { class: 'level' }, finding.level),
              element(
                'div',
                {},
                element('p', { class: 'message' }, finding.text),
                finding.command && element('p', {}, command(finding.command)),
              ),
              finding.section !== 'overview' &&
                element('a', { href: `#${finding.section}`, 'aria-label': `show ${finding.section}` }, 'show'),
            ),
          ),
        ),
  );
}

/** A number beside a section's link, with its worst level. */
export function mark(target, found, sections) {
  const here = found.filter((finding) => sections.includes(finding.section) && finding.level !== 'note');
  target.hidden = here.length === 0;
  target.className = `mark ${here[0]?.level ?? ''}`;
  target.textContent = here.length === 0 ? '' : count(here.length);
}
