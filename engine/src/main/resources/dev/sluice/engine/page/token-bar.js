// Whether this tab has the token, with the buttons to enter and to forget it.

import { element } from './elements.js';
import { enter } from './request.js';
import { forgetToken, token, watchToken } from './token.js';

export function drawTokenBar(target) {
  const entry = element('button', { type: 'button', id: 'enter-token' }, 'Enter the token');
  const forget = element('button', { type: 'button', id: 'forget-token' }, 'Forget the token');
  const words = element('span', { role: 'status', 'aria-live': 'polite' });
  entry.addEventListener('click', () => enter());
  forget.addEventListener('click', () => {
    forgetToken();
    entry.focus();
  });
  target.append(words, entry, forget);
  const show = () => {
    const known = token() !== null;
    words.textContent = known ? 'Commands are possible' : 'Reading only';
    entry.hidden = known;
    forget.hidden = !known;
  };
  watchToken(show);
  show();
}
