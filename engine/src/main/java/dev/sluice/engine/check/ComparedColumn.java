package dev.sluice.engine.check;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;

/**
 * A column and where it goes. Immutable.
 *
 * @param name what it is called on the target
 */
record ComparedColumn(TableId table, TableId target, String column, String name) {
  String thing() {
    return "column " + table + "." + column;
  }

  /** What only another type on the source mends. */
  Problem problem(String found, String expected) {
    return new Problem(
        thing(),
        found,
        expected,
        "Change the column's type on the source, or exclude the table by a selection rule");
  }
}
