package dev.sluice.engine.check;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;

/**
 * A source column and its target. Immutable.
 *
 * @param name the column's name on the target
 */
record ComparedColumn(TableId table, TableId target, String column, String name) {
  String thing() {
    return "column " + table + "." + column;
  }

  /** A problem whose only fix is another type on the source. */
  Problem problem(String found, String expected) {
    return new Problem(
        thing(),
        found,
        expected,
        "Change the column's type on the source, or exclude the table by a selection rule");
  }
}
