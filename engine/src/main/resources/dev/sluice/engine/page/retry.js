// Makes the daemon try again at once what failed.

import { Action } from './action.js';
import { request } from './request.js';

const ENDED = { failed: 'The task has failed: start it again.', stopping: 'The task is ending.', stopped: 'The task has ended.' };

export class Retry {
  #action = new Action({
    label: 'Retry now',
    about: 'Whatever waits after a failure is tried again at once.',
    run: (asked) => {
      asked();
      return request('retry');
    },
  });

  constructor(target) {
    target.append(this.#action.element);
  }

  draw({ phase }) {
    this.#action.block(ENDED[phase] ?? null);
  }
}
