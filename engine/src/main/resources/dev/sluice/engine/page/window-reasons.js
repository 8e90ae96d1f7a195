// Why a window was closed. Each reason has a letter beside its colour.

import { drawing } from './elements.js';

export const REASONS = [
  { name: 'READY', letter: 'R', style: 'ready', words: 'enough changes waited, and the applier was idle' },
  { name: 'CAUGHT_UP', letter: 'C', style: 'caught-up', words: 'the journal had no more' },
  { name: 'MAX_TIME', letter: 'T', style: 'max-time', words: 'BatchApplyTimeoutMax had passed, or the longest planned time' },
  { name: 'MEMORY', letter: 'M', style: 'memory', words: 'BatchApplyMemoryLimit was reached' },
  { name: 'BARRIER', letter: 'B', style: 'barrier', words: 'a schema change, a fence, other settings, or the end' },
];

/** Of a daemon with another release: nothing is known. */
const OTHER = { name: 'other', letter: '?', style: 'other', words: 'this page does not know the reason' };

export function reasonOf(window) {
  return REASONS.find(({ name }) => name === window.reason) ?? OTHER;
}

export function swatch(reason) {
  return drawing(
    'svg',
    { class: 'swatch', viewBox: '0 0 14 14', width: 14, height: 14, 'aria-hidden': 'true' },
    drawing('rect', { class: `bar ${reason.style}`, width: 14, height: 14, rx: 2 }),
  );
}
