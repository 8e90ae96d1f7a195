// The token without which the daemon executes no command. This tab keeps it until it is closed; it
// goes nowhere but into the header of a command.

import { ask } from './dialog.js';
import { element } from './elements.js';

const KEY = 'sluice-control-token';

/** Where the storage is switched off, it is asked for after each reload. */
let held = stored(() => sessionStorage.getItem(KEY)) ?? null;
let entering = null;
const watchers = [];

function stored(access) {
  try {
    return access();
  } catch {
    return null;
  }
}

export function token() {
  return held;
}

export function forgetToken() {
  held = null;
  stored(() => sessionStorage.removeItem(KEY));
  watchers.forEach((watcher) => watcher());
}

function keep(text) {
  held = text;
  stored(() => sessionStorage.setItem(KEY, text));
  watchers.forEach((watcher) => watcher());
}

/** Called whenever the token is entered or forgotten. */
export function watchToken(watcher) {
  watchers.push(watcher);
}

/**
 * Asks for the token, once for all who want it now; resolves with it, or with null if the reader
 * gives none.
 *
 * @param why what the daemon said about the last one; null if there was none
 * @param refusal asks the daemon about a token: why it is not accepted, or null
 */
export function enterToken(why, refusal) {
  entering ??= enter(why, refusal).finally(() => {
    entering = null;
  });
  return entering;
}

async function enter(why, refusal) {
  // Not of the type password: a browser would offer to save it. The style hides it.
  const field = element('input', {
    id: 'token-field',
    class: 'secret',
    type: 'text',
    autocomplete: 'off',
    autocapitalize: 'off',
    spellcheck: 'false',
    autofocus: true,
  });
  const text = () => field.value.trim();
  const given = await ask({
    title: 'The token of the daemon',
    body: [
      why && element('p', { class: 'message problem' }, why),
      element('p', {}, 'Commands need the token; to read this page nothing is needed.'),
      element(
        'p',
        {},
        'It is in the file ',
        element('code', {}, 'control-token'),
        ' of the task’s data directory (',
        element('code', {}, 'data-dir'),
        ' in the task file), which only the daemon’s user can read. The command line takes it from there. On the daemon’s machine:',
      ),
      element('p', {}, element('code', { class: 'command' }, 'cat DATA-DIR/control-token')),
      element('p', {}, 'Each start of the daemon makes a new one. This tab keeps it until you close the tab or forget it.'),
      !globalThis.isSecureContext &&
        element(
          'p',
          { class: 'message warning' },
          'This page is not encrypted: whoever can read the network between you and the daemon can read the token. A tunnel helps: ssh -L 8080:127.0.0.1:8080 with the daemon’s machine, and then http://127.0.0.1:8080/.',
        ),
      element('p', {}, element('label', { for: field.id }, 'Token'), ' ', field),
    ],
    confirm: 'Use it',
    missing: () =>
      text() === '' ? 'Enter the token.' : /^[\x21-\x7e]+$/.test(text()) ? null : 'It has letters and digits only.',
    refused: () => refusal(text()),
  });
  if (!given) {
    return null;
  }
  keep(text());
  field.value = '';
  return held;
}
