// A table that can be searched, filtered and sorted, and that changes in place: what is selected or
// scrolled stays so while figures change.

import { element, setText } from './elements.js';
import { count, counted } from './format.js';

/** So many rows are shown at first, and more at each request. */
const PAGE = 100;

export class TableView {
  #description;
  #rows = [];
  #shown = PAGE;
  #sortedBy;
  #descending;
  #search;
  #filter;
  #summary = element('p', { class: 'quiet' });
  #more = element('button', { type: 'button', class: 'more', hidden: true });
  #body = element('tbody');
  #headings;
  #lines = new Map();
  element;

  /**
   * @param description id, caption, noun, columns (name, heading, value, text, numeric, kind),
   *   key of a row, text that is searched, filters (label, test), sortedBy, descending
   */
  constructor(description) {
    this.#description = description;
    this.#sortedBy = description.sortedBy ?? null;
    this.#descending = description.descending ?? false;
    this.#search = element('input', { type: 'search', id: `${description.id}-search`, autocomplete: 'off', spellcheck: 'false' });
    this.#filter = element(
      'select',
      { id: `${description.id}-filter` },
      (description.filters ?? []).map((filter, index) => element('option', { value: index }, filter.label)),
    );
    this.#headings = description.columns.map((column) => this.#heading(column));
    this.#search.addEventListener('input', () => this.#restart());
    this.#filter.addEventListener('change', () => this.#restart());
    this.#more.addEventListener('click', () => {
      this.#shown += PAGE;
      this.#draw();
    });
    this.element = element(
      'div',
      { class: 'table-view' },
      element(
        'div',
        { class: 'controls' },
        element('p', {}, element('label', { for: this.#search.id }, 'Search'), this.#search),
        description.filters && element('p', {}, element('label', { for: this.#filter.id }, 'Show'), this.#filter),
        this.#summary,
      ),
      element(
        'div',
        { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': `${description.caption}, scrolls sideways` },
        element(
          'table',
          { id: description.id },
          element('caption', {}, description.caption),
          element('thead', {}, element('tr', {}, this.#headings)),
          this.#body,
        ),
      ),
      this.#more,
    );
  }

  update(rows) {
    this.#rows = rows;
    this.#draw();
  }

  #heading(column) {
    const button = element('button', { type: 'button' }, column.heading);
    button.addEventListener('click', () => this.#sortBy(column));
    return element('th', { scope: 'col', class: column.numeric ? 'number' : null }, button);
  }

  /** Numbers are sorted with the largest first: that is what people look for. */
  #sortBy(column) {
    if (this.#sortedBy === column.name) {
      this.#descending = !this.#descending;
    } else {
      this.#sortedBy = column.name;
      this.#descending = column.numeric === true;
    }
    this.#draw();
  }

  #restart() {
    this.#shown = PAGE;
    this.#draw();
  }

  #draw() {
    const found = this.#found();
    const visible = this.#sorted(found).slice(0, this.#shown);
    setText(
      this.#summary,
      found.length === this.#rows.length
        ? counted(found.length, this.#description.noun)
        : `${count(found.length)} of ${counted(this.#rows.length, this.#description.noun)}`,
    );
    this.#description.columns.forEach((column, index) => {
      const sorted = column.name === this.#sortedBy;
      const order = this.#descending ? 'descending' : 'ascending';
      if (sorted) {
        this.#headings[index].setAttribute('aria-sort', order);
      } else {
        this.#headings[index].removeAttribute('aria-sort');
      }
    });
    this.#place(visible);
    this.#more.hidden = found.length <= visible.length;
    setText(this.#more, `Show ${count(Math.min(PAGE, found.length - visible.length))} more`);
  }

  #found() {
    const words = this.#search.value.trim().toLowerCase();
    const test = this.#description.filters?.[Number(this.#filter.value)]?.test ?? (() => true);
    return this.#rows.filter(
      (row) => test(row) && (words === '' || this.#description.text(row).toLowerCase().includes(words)),
    );
  }

  #sorted(rows) {
    const column = this.#description.columns.find(({ name }) => name === this.#sortedBy);
    if (!column) {
      return rows;
    }
    const sign = this.#descending ? -1 : 1;
    return [...rows].sort((one, other) => sign * compared(column.value(one), column.value(other)));
  }

  #place(rows) {
    const keys = new Set(rows.map(this.#description.key));
    for (const [key, line] of this.#lines) {
      if (!keys.has(key)) {
        line.row.remove();
        this.#lines.delete(key);
      }
    }
    rows.forEach((row, index) => {
      const key = this.#description.key(row);
      let line = this.#lines.get(key);
      if (!line) {
        line = this.#line();
        this.#lines.set(key, line);
      }
      this.#fill(line, row);
      if (this.#body.children[index] !== line.row) {
        this.#body.insertBefore(line.row, this.#body.children[index] ?? null);
      }
    });
  }

  #line() {
    const cells = this.#description.columns.map((column, index) =>
      element(index === 0 ? 'th' : 'td', { scope: index === 0 ? 'row' : null, class: column.numeric ? 'number' : null }),
    );
    return { row: element('tr', {}, cells), cells };
  }

  #fill(line, row) {
    this.#description.columns.forEach((column, index) => {
      const cell = line.cells[index];
      setText(cell, (column.text ?? column.value)(row));
      const kind = column.kind?.(row) ?? '';
      const style = [column.numeric ? 'number' : '', column.style ?? '', kind].filter((part) => part).join(' ');
      if (cell.className !== style) {
        cell.className = style;
      }
    });
  }
}

/** What is not known comes before everything else. */
function compared(one, other) {
  const first = one ?? -Infinity;
  const second = other ?? -Infinity;
  if (typeof first === 'number' && typeof second === 'number') {
    return first === second ? 0 : first < second ? -1 : 1;
  }
  return String(first).localeCompare(String(second), 'en', { numeric: true });
}
