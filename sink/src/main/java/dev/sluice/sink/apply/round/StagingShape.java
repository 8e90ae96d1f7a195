package dev.sluice.sink.apply.round;

import dev.sluice.sink.apply.plan.TablePlan;
import dev.sluice.sink.target.TargetColumn;
import java.util.ArrayList;
import java.util.List;

/**
 * The columns of a staged set of rows. {@code n} is the row's ordinal, {@code mask} has a bit for
 * each source column that is 1 if the value is unchanged, {@code copies} is the number of copies.
 * {@code k…} are the values that match the row and {@code c…} its new values, numbered by source
 * column. Immutable.
 *
 * @param name short name, part of the staging table's name
 */
record StagingShape(
    String name, boolean ordinal, boolean mask, boolean copies, boolean match, boolean row) {
  static final StagingShape DELETES = new StagingShape("d", false, false, false, true, false);
  static final StagingShape INSERTS = new StagingShape("i", false, false, false, false, true);
  static final StagingShape COPIES = new StagingShape("m", true, false, true, false, true);

  /** The columns for updates that keep their key. */
  static StagingShape updates(boolean ordinal, boolean mask) {
    return new StagingShape("u" + flags(ordinal, mask), ordinal, mask, false, false, true);
  }

  /** The columns for updates that change their key and keep some old values. */
  static StagingShape keyChanges(boolean mask) {
    return new StagingShape("k" + flags(true, mask), true, mask, false, true, true);
  }

  private static String flags(boolean ordinal, boolean mask) {
    return (ordinal ? "n" : "") + (mask ? "m" : "");
  }

  /** A column of a staged set. */
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

  /** The set's column with the value of a match column. */
  String matchColumn(int source) {
    return (match ? "k" : "c") + source;
  }

  /**
   * The condition that {@code t}, a target row, and {@code s}, a staged row, agree in the column.
   */
  String sameValue(TablePlan plan, int source) {
    TargetColumn column = plan.column(source);
    return "t.%s %s s.%s".formatted(column.quoted(), column.equality(), matchColumn(source));
  }
}
