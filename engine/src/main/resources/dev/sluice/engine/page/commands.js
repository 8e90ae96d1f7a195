// Commands that the reader can copy into a shell.

import { element } from './elements.js';

/** A table's name as commands take it: a part with a dot or a quote stands in double quotes. */
export function argument(schema, table) {
  return forShell([schema, table].map(part).join('.'));
}

function part(name) {
  return /[."]/.test(name) || name === '' ? `"${name.replaceAll('"', '""')}"` : name;
}

/** In single quotes if the shell would read it otherwise. */
function forShell(text) {
  return /^[A-Za-z0-9_.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

export function command(text) {
  return element('code', { class: 'command' }, text);
}
