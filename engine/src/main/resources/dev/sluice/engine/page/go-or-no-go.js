// The report of whether the task can be cut over: what is in the way, what somebody must accept, and
// what is good to know. The daemon decides which is which.

import { element } from './elements.js';
import { clock, count, counted } from './format.js';

const BLOCKER = 'blocker';
const CHOICE = 'choice';
const FACT = 'fact';

/** The kinds of choices in a report. */
export function choices(report) {
  return new Set(of(report, CHOICE).map((finding) => finding.kind));
}

/** The verdict in words. */
export function verdict(report) {
  const open = [
    [of(report, BLOCKER).length, 'blocker'],
    [of(report, CHOICE).filter((finding) => !finding.accepted).length, 'choice'],
  ].filter(([many]) => many > 0);
  const accepted = report.accepted.length === 0 ? '' : `; accepted: ${report.accepted.join(', ')}`;
  return report.go
    ? `nothing is in the way${accepted}`
    : `${open.map(([many, noun]) => counted(many, noun)).join(', ')}${accepted}`;
}

/**
 * @param isAccepted whether the reader accepts a kind
 * @param accept called with a kind and whether the reader accepts it from now on
 */
export function drawReport(target, report, isAccepted, accept) {
  target.replaceChildren(
    element('p', { class: 'quiet' }, `Read at ${clock(report.at)}. Nothing was changed.`),
    ...section('Blockers: refused, or bound to fail, while they last', of(report, BLOCKER), 'problem', () => null),
    ...section('Choices: remove them, or accept each kind', of(report, CHOICE), 'warning', (kind) =>
      acceptance(kind, isAccepted, accept),
    ),
    ...section('Facts', of(report, FACT), 'note', () => null),
  );
}

function of(report, weight) {
  return report.findings.filter((finding) => finding.weight === weight);
}

/** Findings of one kind stand together: a kind is accepted as a whole. */
function section(title, findings, level, below) {
  const kinds = [...new Set(findings.map((finding) => finding.kind))];
  return kinds.length === 0
    ? []
    : [
        element('h5', {}, title),
        ...kinds.map((kind) =>
          element(
            'div',
            { class: `finding ${level}` },
            element('p', {}, element('span', { class: `badge ${level}` }, kind)),
            findings.filter((finding) => finding.kind === kind).map(shown),
            below(kind),
          ),
        ),
      ];
}

function shown(finding) {
  const more = finding.count - finding.names.length;
  return [
    element('p', { class: 'message' }, `${finding.thing}: ${finding.found}`),
    finding.names.length > 0 &&
      element(
        'ul',
        { class: 'lines' },
        finding.names.map((name) => element('li', {}, name)),
        more > 0 && element('li', {}, `and ${count(more)} more`),
      ),
    finding.expected && element('p', { class: 'message quiet' }, `Expected: ${finding.expected}`),
    finding.fix && element('p', { class: 'message' }, `Fix: ${finding.fix}`),
  ];
}

let boxes = 0;

function acceptance(kind, isAccepted, accept) {
  const box = element('input', { type: 'checkbox', id: `accept-${++boxes}`, value: kind, checked: isAccepted(kind) });
  box.addEventListener('change', () => accept(kind, box.checked));
  return element('p', {}, box, ' ', element('label', { for: box.id }, `Accept ${kind}: the target is used with it`));
}
