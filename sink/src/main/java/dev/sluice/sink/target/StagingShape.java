package dev.sluice.sink.target;

import dev.sluice.sink.target.StagedColumn.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The columns of a staged set of rows. {@code n} is the row's ordinal, {@code mask} has a bit for
 * each source column that is 1 if the value is unchanged, {@code copies} is the number of copies.
 * {@code k…} are the values that match the row and {@code c…} its new values, numbered by source
 * column. Immutable.
 *
 * @param name short name, part of the staging table's name
 */
public record StagingShape(
    String name, boolean ordinal, boolean mask, boolean copies, boolean match, boolean row) {
  private static final String UPDATES = "u";

  public static final StagingShape DELETES =
      new StagingShape("d", false, false, false, true, false);
  public static final StagingShape INSERTS =
      new StagingShape("i", false, false, false, false, true);
  public static final StagingShape KEYS = new StagingShape("p", true, false, false, true, false);
  public static final StagingShape COPIES = new StagingShape("m", true, false, true, false, true);

  /** The columns for updates that keep their key. */
  public static StagingShape updates(boolean ordinal, boolean mask) {
    return new StagingShape(UPDATES + flags(ordinal, mask), ordinal, mask, false, false, true);
  }

  /** The columns for updates that change their key and keep some old values. */
  public static StagingShape keyChanges(boolean mask) {
    return new StagingShape("k" + flags(true, mask), true, mask, false, true, true);
  }

  private static String flags(boolean ordinal, boolean mask) {
    return (ordinal ? "n" : "") + (mask ? "m" : "");
  }

  /** The set's columns, in the order in which values are written. */
  public List<StagedColumn> columns(MappedTable plan) {
    List<StagedColumn> columns = new ArrayList<>();
    if (ordinal) {
      columns.add(new StagedColumn("n", Kind.NUMBER, null));
    }
    if (mask) {
      columns.add(new StagedColumn("mask", Kind.BITS, null));
    }
    if (copies) {
      columns.add(new StagedColumn("copies", Kind.NUMBER, null));
    }
    if (match) {
      for (int source : plan.match()) {
        columns.add(new StagedColumn("k" + source, Kind.VALUE, plan.column(source)));
      }
    }
    if (row) {
      for (int source = 0; source < plan.columnCount(); source++) {
        Kind kind = isUpdates() && isMatch(plan, source) ? Kind.KEY : Kind.VALUE;
        columns.add(new StagedColumn("c" + source, kind, plan.column(source)));
      }
    }
    return columns;
  }

  private boolean isUpdates() {
    return row && !match && name.startsWith(UPDATES);
  }

  private static boolean isMatch(MappedTable plan, int source) {
    return Arrays.stream(plan.match()).anyMatch(each -> each == source);
  }

  /** The set's column with the value of a match column. */
  public String matchColumn(int source) {
    return (match ? "k" : "c") + source;
  }
}
