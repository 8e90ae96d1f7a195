// A question over the page. The browser keeps the focus inside it, and gives it back afterwards.

import { element, setText } from './elements.js';

let questions = 0;

/**
 * Asks, and resolves with true once it is confirmed; Escape and Cancel resolve with false.
 *
 * @param question title; body, elements; confirm, the button's text; danger, whether it destroys
 *   something; missing, which says what must still be given (null: nothing), after each input;
 *   refused, which says after the button was pressed why it is not accepted (null: it is)
 */
export function ask({ title, body, confirm, danger = false, missing = () => null, refused = async () => null }) {
  const id = `question-${++questions}`;
  const reason = element('p', { class: 'quiet', id: `${id}-reason` });
  const error = element('p', { class: 'message problem', role: 'alert' });
  const yes = element(
    'button',
    { type: 'submit', class: danger ? 'danger' : 'main', 'aria-describedby': reason.id },
    confirm,
  );
  const no = element('button', { type: 'button' }, 'Cancel');
  const form = element(
    'form',
    { novalidate: true },
    element('h2', { id }, title),
    body,
    error,
    element('div', { class: 'answers' }, yes, no),
    reason,
  );
  const dialog = element('dialog', { 'aria-labelledby': id }, form);

  const check = () => {
    const lacks = missing();
    yes.disabled = lacks !== null;
    setText(reason, lacks ?? '');
  };

  return new Promise((resolve) => {
    let asking = false;
    const close = (answer) => {
      dialog.close();
      dialog.remove();
      resolve(answer);
    };
    form.addEventListener('input', check);
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      if (asking || missing() !== null) {
        return;
      }
      asking = true;
      const why = await refused();
      asking = false;
      if (!dialog.isConnected) {
        return;
      }
      if (why === null) {
        close(true);
      } else {
        setText(error, why);
      }
    });
    // The second click of a double click on the button that opened this is no answer.
    yes.addEventListener('click', (event) => event.detail > 1 && event.preventDefault());
    no.addEventListener('click', () => close(false));
    dialog.addEventListener('cancel', (event) => {
      event.preventDefault();
      close(false);
    });
    document.body.append(dialog);
    check();
    dialog.showModal();
  });
}
