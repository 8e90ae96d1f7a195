// The way back: whether it is armed or carries changes, and what is in its way.

import { definitions, element, redraw } from './elements.js';
import { clock, duration, size } from './format.js';

const STATES = {
  armed: 'It is ready: a cutover can be taken back.',
  'not-armed': 'It is not ready: a cutover could not be taken back.',
  begun: 'It carries the changes of the new side to the old source.',
  'brought-back': 'The applications are back on the old source.',
};

export function drawWayBack(target, back) {
  redraw(target, back ?? null, () => (back ? shown(back) : []));
}

function shown(back) {
  const works = back.blocks.length === 0 && ['armed', 'begun'].includes(back.state);
  return [
    element('h3', {}, 'The way back'),
    element(
      'p',
      {},
      element('span', { class: `badge ${works ? 'fine' : 'warning'}` }, back.state),
      ' ',
      STATES[back.state] ?? '',
      back.since && element('span', { class: 'quiet' }, ` Since ${clock(back.since)}.`),
    ),
    back.blocks.map((block) => element('p', { class: 'message warning' }, block)),
    definitions([
      ['its daemon last answered', back.answered && clock(back.answered)],
      ['last canary', back.canary_millis === null ? null : `${duration(back.canary_millis / 1000)}, back at ${clock(back.canary_at)}`],
      ['old source behind the new side', back.lag_seconds === null ? null : duration(back.lag_seconds)],
      ['log that the new side keeps', `${size(back.kept_bytes)} of at most ${size(back.limit_bytes)}`],
      ['of it for open transactions', back.read_bytes ? size(back.read_bytes) : null],
    ]),
  ];
}
