// The other tasks of this machine. Their daemons are not asked: this one reads what they have written
// into their directories. A link opens the other page, which asks for its own token.

import { element, redraw } from './elements.js';
import { clock, duration } from './format.js';

const TIMEOUT = 10000;

/** Daemons write their state every five seconds. */
const INTERVAL = 5000;

export class OtherTasks {
  #target;
  #asking = false;
  #askAfter = 0;

  constructor(target) {
    this.#target = target;
  }

  /** Asks if it is time; does nothing while it waits for an answer. */
  async update() {
    if (this.#asking || performance.now() < this.#askAfter) {
      return;
    }
    this.#asking = true;
    try {
      const answer = await fetch('tasks', { cache: 'no-store', signal: AbortSignal.timeout(TIMEOUT) });
      if (answer.ok) {
        this.#draw((await answer.json()).tasks);
      }
    } catch {
      // The connection reports a daemon that is gone.
    } finally {
      this.#asking = false;
      this.#askAfter = performance.now() + INTERVAL;
    }
  }

  #draw(tasks) {
    this.#target.hidden = tasks.length === 0;
    redraw(this.#target, tasks.map(shown), () => [
      element('h3', {}, 'Other tasks of this machine'),
      element('ul', { class: 'other-tasks' }, tasks.map((task) => item(shown(task)))),
    ]);
  }
}

/** What is drawn: the time of what a running daemon wrote would change all the time. */
function shown(task) {
  const { task: name, state, phase, at, problem, behind_seconds: behind } = task;
  return {
    name,
    href: link(task),
    level: state === 'SILENT' || phase === 'failed' || problem ? 'problem' : state === 'ENDED' ? 'note' : 'fine',
    words: words(state, phase, at),
    behind: state === 'RUNNING' && behind !== null ? `${duration(behind)} behind` : null,
    problem,
  };
}

function words(state, phase, at) {
  if (state === 'SILENT') {
    return `no sign since ${clock(at)}, then ${phase}`;
  }
  return state === 'ENDED' ? `${phase} since ${clock(at)}` : phase;
}

function item({ name, href, level, words: state, behind, problem }) {
  return element(
    'li',
    {},
    href ? element('a', { href, target: '_blank', rel: 'noopener noreferrer' }, name) : element('strong', {}, name),
    ' ',
    element('span', { class: `badge ${level}` }, state),
    behind && ` ${behind}`,
    problem && element('span', { class: 'message quiet' }, ` ${problem}`),
  );
}

/**
 * Through the proxy if this page comes through one; else at the host under which this page was
 * reached, if the other one listens on this machine's own address alone, as this one may do.
 */
function link({ state, address, origin }) {
  if (state !== 'RUNNING') {
    return null;
  }
  if (location.protocol === 'https:') {
    return origin && /^https:\/\/[^/]+$/.test(origin) ? `${origin}/` : null;
  }
  const found = /^(.+):([0-9]+)$/.exec(address ?? '');
  if (!found) {
    return null;
  }
  const host = /^(127\.|\[::1\]$|\[0:0:0:0:0:0:0:1\]$)/.test(found[1]) || found[1] === '::1' ? location.hostname : found[1];
  return `http://${host}:${found[2]}/`;
}
