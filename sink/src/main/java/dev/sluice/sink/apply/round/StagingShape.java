package dev.sluice.sink.apply.round;

import dev.sluice.sink.apply.plan.TablePlan;
import dev.sluice.sink.target.TargetColumn;
import java.util.ArrayList;
import java.util.List;

/**
 * Which columns a set of rows has on its way to a statement: {@code n} the row's ordinal, {@code
 * mask} a bit per source column that is 1 where the value is unchanged, {@code copies}, {@code k…}
 * the values that find the row, and {@code c…} the values of the row, both numbered by source
 * column. Immutable.
 *
 * @param name short, part of the staging table's name
 */
record StagingShape(
    String name, boolean ordinal, boolean mask, boolean copies, boolean match, boolean row) {
  static final StagingShape DELETES = new StagingShape("d", false, false, false, true, false);
  static final StagingShape INSERTS = new StagingShape("i", false, false, false, false, true);
  static final StagingShape COPIES = new StagingShape("m", true, false, true, false, true);

  /** Updates that keep their key. */
  static StagingShape updates(boolean ordinal, boolean mask) {
    return new StagingShape("u" + flags(ordinal, mask), ordinal, mask, false, false, true);
  }

  /** Updates that change their key and keep some of the old values. */
  static StagingShape keyChanges(boolean mask) {
    return new StagingShape("k" + flags(true, mask), true, mask, false, true, true);
  }

  private static String flags(boolean ordinal, boolean mask) {
    return (ordinal ? "n" : "") + (mask ? "m" : "");
  }

  /** A column of a set. */
  record SetColumn(String name, String storedType, String bareType, char arrayDelimiter) {
    private SetColumn(String name, TargetColumn column) {
      this(name, column.storedType(), column.bareType(), column.arrayDelimiter());
    }
  }

  /** The set's columns, in the order in which values are written. */
  List<SetColumn> columns(TablePlan plan) {
    List<SetColumn> columns = new ArrayList<>();
    if (ordinal) {
      columns.add(new SetColumn("n", "bigint", "pg_catalog.int8", ','));
    }
    if (mask) {
      columns.add(new SetColumn("mask", "bit varying", "pg_catalog.varbit", ','));
    }
    if (copies) {
      columns.add(new SetColumn("copies", "bigint", "pg_catalog.int8", ','));
    }
    if (match) {
      for (int source : plan.match()) {
        columns.add(new SetColumn("k" + source, plan.column(source)));
      }
    }
    if (row) {
      for (int source = 0; source < plan.columnCount(); source++) {
        columns.add(new SetColumn("c" + source, plan.column(source)));
      }
    }
    return columns;
  }

  /** The set's column that has the value of a match column. */
  String matchColumn(int source) {
    return (match ? "k" : "c") + source;
  }

  /** That {@code t}, a row of the target, has the match column's value of {@code s}, one of it. */
  String sameValue(TablePlan plan, int source) {
    TargetColumn column = plan.column(source);
    return "t.%s %s s.%s".formatted(column.quoted(), column.equality(), matchColumn(source));
  }
}
