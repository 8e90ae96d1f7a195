// All windows that are kept, as a table.

import { clock, count, milliseconds, size } from './format.js';
import { TableView } from './table-view.js';
import { REASONS } from './window-reasons.js';

const number = (name, heading, text = count) => ({
  name,
  heading,
  numeric: true,
  value: (window) => window[name],
  text: (window) => text(window[name]),
});

export function windowTable() {
  return new TableView({
    id: 'windows-list',
    caption: 'The last windows, the latest first',
    noun: 'window',
    columns: [
      { name: 'number', heading: 'Window', numeric: true, value: (window) => window.number, text: (window) => count(window.number) },
      { name: 'applied_at', heading: 'Applied', value: (window) => window.applied_at, text: (window) => clock(window.applied_at) },
      { name: 'lane', heading: 'Lane', value: (window) => window.lane },
      { name: 'reason', heading: 'Closed by', value: (window) => window.reason },
      number('fill_seconds', 'Filled for', milliseconds),
      number('apply_seconds', 'Applied in', milliseconds),
      { name: 'stage', heading: 'Longest stage', value: longestStage },
      number('changes', 'Changes in'),
      number('net_changes', 'Net out'),
      number('bytes', 'Bytes', size),
      { ...number('retries', 'Failed attempts'), kind: (window) => (window.retries > 0 ? 'warning' : '') },
    ],
    key: (window) => window.number,
    text: (window) => `${window.number} ${window.lane} ${window.reason}`,
    filters: [
      { label: 'all windows', test: () => true },
      ...REASONS.map((reason) => ({ label: `closed by ${reason.name}`, test: (window) => window.reason === reason.name })),
    ],
    sortedBy: 'number',
    descending: true,
  });
}

function longestStage(window) {
  const [longest] = Object.entries(window.stages).sort(([, one], [, other]) => other - one);
  return longest ? `${longest[0]} ${milliseconds(longest[1])}` : '';
}
