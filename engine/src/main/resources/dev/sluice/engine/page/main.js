// Puts the page together: each new sample and status goes to the sections that show it.

import { daemonAnswers } from './action.js';
import { drawAttention, findings, mark } from './attention.js';
import { command, commandsAreFor } from './commands.js';
import { Connection } from './connection.js';
import { drawCutover } from './cutover.js';
import { CutoverGuide } from './cutover-guide.js';
import { element, redraw, setText } from './elements.js';
import { Figures } from './figures.js';
import { clock } from './format.js';
import { FullLoad } from './full-load.js';
import { Headline } from './headline.js';
import { OtherTasks } from './other-tasks.js';
import { Plots } from './plots.js';
import { Proof } from './proof.js';
import { Repair } from './repair.js';
import { Retry } from './retry.js';
import { Servers } from './servers.js';
import { Settings } from './settings.js';
import { Suspended } from './suspended.js';
import { tableRows, tablesView } from './tables.js';
import { drawTokenBar } from './token-bar.js';
import { TuneForm } from './tune-form.js';
import { drawWayBack } from './way-back.js';
import { Windows } from './windows.js';

const byId = (id) => document.getElementById(id);

const headline = new Headline();
const figures = new Figures(byId('figures'));
const retry = new Retry(byId('retry'));
const plots = new Plots(byId('plot-controls'), byId('plot-grid'));
const otherTasks = new OtherTasks(byId('other-tasks'));
const windows = new Windows(byId('windows-body'));
const fullLoad = new FullLoad();
const suspended = new Suspended(byId('suspended'));
const tables = tablesView();
const proof = new Proof();
const repair = new Repair(byId('repair'));
const cutoverGuide = new CutoverGuide(byId('cutover-guide'));
const servers = new Servers(byId('servers-body'));
const settings = new Settings();
const tuneForm = new TuneForm(byId('tune'));
byId('tables-body').append(tables.element);
drawTokenBar(byId('token'));

let task = null;
let lastFigures = null;

const MARKS = {
  'tables-mark': ['tables', 'suspended', 'full-load'],
  'proof-mark': ['proof'],
  'cutover-mark': ['cutover', 'way-back'],
  'servers-mark': ['servers'],
  'settings-mark': ['settings'],
};

function showSample(sample) {
  lastFigures = sample.at;
  plots.add(sample);
  showConnection('live');
}

function showStatus(status) {
  task = status.task;
  commandsAreFor(task);
  if (connection.state !== 'live') {
    lastFigures = Date.now();
    showConnection(connection.state);
  }
  const found = findings(status);
  headline.draw(status, found);
  drawAttention(byId('attention'), found);
  Object.entries(MARKS).forEach(([id, sections]) => mark(byId(id), found, sections));
  retry.draw(status);
  figures.draw(status, lastFigures ?? Date.now());
  windows.update();
  otherTasks.update();
  fullLoad.draw(status);
  suspended.draw(status);
  tables.update(tableRows(status));
  proof.draw(status);
  repair.draw(status);
  drawCutover(byId('cutover-body'), byId('cutover-step'), status);
  cutoverGuide.draw(status);
  drawWayBack(byId('way-back'), status.fallback);
  servers.draw(status);
  settings.draw(status);
  tuneForm.draw(status);
  showFooter(status);
}

/** Someone who comes back to a page that was hidden, or lost its daemon, gets the plots whole. */
function showState(state, before) {
  document.body.classList.toggle('lost', state === 'lost');
  daemonAnswers(state !== 'lost');
  byId('lost').hidden = state !== 'lost';
  if (state === 'lost') {
    showLost();
  } else if (before !== 'live') {
    plots.reload();
  }
  showConnection(state);
}

function showLost() {
  headline.lost(task);
  byId('lost').replaceChildren(
    element(
      'p',
      {},
      lastFigures === null
        ? 'There are no figures yet.'
        : `The daemon last answered at ${clock(lastFigures)}; everything below is as it was then.`,
      ' This page asks again until it answers. Why the daemon ended, if it did:',
    ),
    element('p', {}, command('status')),
  );
}

function showConnection(state) {
  const words = {
    connecting: 'connecting',
    live: `live, ${clock(lastFigures)}`,
    polling: `asked for at intervals, ${clock(lastFigures)}`,
    lost: lastFigures === null ? 'no answer' : `no answer since ${clock(lastFigures)}`,
  };
  const target = byId('connection');
  setText(target, words[state]);
  target.className = `connection ${state}`;
}

function showFooter(status) {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  redraw(byId('footer'), [status.pid, status.started, status.epoch, status.ddl], () => [
    element('p', {}, `Process ${status.pid}, started ${clock(status.started)}, epoch ${status.epoch}. Times are those of ${zone}.`),
    status.ddl && element('p', {}, `Schema changes: ${status.ddl}`),
    element('p', {}, 'The same as JSON: ', element('a', { href: 'status' }, 'status'), '; for Prometheus: ', element('a', { href: 'metrics' }, 'metrics'), '.'),
  ]);
}

const connection = new Connection({ onSample: showSample, onStatus: showStatus, onState: showState });
plots.reload();
connection.start();
