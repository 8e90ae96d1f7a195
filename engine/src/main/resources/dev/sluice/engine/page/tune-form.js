// Changes a live setting until the daemon ends.

import { Action } from './action.js';
import { element, redraw, setText } from './elements.js';
import { request } from './request.js';

export class TuneForm {
  #inEffect = {};
  #names = element('select', { id: 'tune-name' });
  #value = element('input', { id: 'tune-value', type: 'text', autocomplete: 'off', spellcheck: 'false' });
  #now = element('p', { class: 'message' });
  #action = new Action({
    label: 'Change it',
    about: 'From the next window on, until the daemon ends. To keep it, write it into the task settings as well.',
    run: (asked) => {
      asked();
      return request('tune', [[this.#names.value, this.#value.value.trim()]]);
    },
  });

  constructor(target) {
    target.append(
      element('h3', {}, 'Change a setting while the task runs'),
      element(
        'div',
        { class: 'form' },
        element('p', {}, element('label', { for: this.#names.id }, 'Setting'), this.#names),
        element('p', {}, element('label', { for: this.#value.id }, 'New value, as in the task settings'), this.#value),
      ),
      this.#now,
      this.#action.element,
    );
    this.#names.addEventListener('change', () => this.#show());
    this.#value.addEventListener('input', () => this.#show());
  }

  draw({ settings }) {
    this.#inEffect = settings.in_effect;
    const live = Object.keys(this.#inEffect)
      .filter((path) => this.#inEffect[path].live)
      .sort();
    redraw(this.#names, live, () => live.map((path) => element('option', { value: path, selected: path === this.#names.value }, path)));
    this.#show();
  }

  #show() {
    const setting = this.#inEffect[this.#names.value];
    const value = this.#value.value.trim();
    if (!setting) {
      setText(this.#now, '');
      this.#action.block('The task has no setting that can be changed while it runs.');
      return;
    }
    setText(
      this.#now,
      `Now ${setting.value}${setting.effective ? `, in effect ${setting.effective}` : ''} (from ${setting.from})${value === '' ? '.' : `; becomes ${value}.`}`,
    );
    this.#action.block(value === '' ? 'Enter a new value.' : null);
  }
}
