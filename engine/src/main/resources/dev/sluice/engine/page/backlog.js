// How long the waiting changes take. Pure: numbers in, words out.

import { clock, counted, duration, rate } from './format.js';

/** Waiting changes of up to so many seconds of work are the flow itself. */
const FLOW_SECONDS = 2;

/**
 * @param changes that wait
 * @param sourceRate rows that come in a second
 * @param applyRate rows that are applied in a second
 */
export function outlook(changes, sourceRate, applyRate) {
  if (!changes) {
    return { kind: 'none' };
  }
  if (applyRate > 0 && changes <= applyRate * FLOW_SECONDS) {
    return { kind: 'flows', seconds: changes / applyRate };
  }
  const shrinking = applyRate - sourceRate;
  if (shrinking >= 1) {
    return { kind: 'shrinks', seconds: changes / shrinking };
  }
  return shrinking <= -1 ? { kind: 'grows', perSecond: -shrinking } : { kind: 'stands' };
}

/** @param now in milliseconds since 1970, by the daemon's clock */
export function words(outlook, now) {
  switch (outlook.kind) {
    case 'none':
      return 'nothing waits';
    case 'flows':
      return `${duration(outlook.seconds)} of work`;
    case 'shrinks':
      return `gone in ${duration(outlook.seconds)}, at ${clock(now + outlook.seconds * 1000)}, at the present rate`;
    case 'grows':
      return `grows by ${rate(outlook.perSecond)}: no end at the present rate`;
    default:
      return 'neither grows nor shrinks at present';
  }
}

export function waiting(changes) {
  return counted(changes, 'change');
}
