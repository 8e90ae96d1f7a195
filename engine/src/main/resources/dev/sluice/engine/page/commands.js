// Commands that the reader can copy into a shell, and names as commands take them.

import { element } from './elements.js';

/** A table's name as commands take it: a part with a dot or a quote stands in double quotes. */
export function argument(schema, table) {
  return forShell(tableName(schema, table));
}

/** The same in a request to the daemon, where a table is a parameter without a value. */
export function tableParameter(schema, table) {
  return [tableName(schema, table), ''];
}

function tableName(schema, table) {
  return [schema, table].map(part).join('.');
}

function part(name) {
  return /[."]/.test(name) || name === '' ? `"${name.replaceAll('"', '""')}"` : name;
}

/** In single quotes if the shell would read it otherwise. */
function forShell(text) {
  return /^[A-Za-z0-9_.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** The daemon of a way back has this at the end of its task's name, and commands an option for it. */
const OF_WAY_BACK = '_fallback';

let option = '';

/** From now on commands are for the daemon of this task. */
export function commandsAreFor(task) {
  option = task.endsWith(OF_WAY_BACK) ? ' --fallback' : '';
}

export function isOfWayBack() {
  return option !== '';
}

/** @param rest of the command line: tables and options */
export function command(name, rest = '') {
  return element('code', { class: 'command' }, `sluice ${name} TASK.yaml${option}${rest && ` ${rest}`}`);
}
