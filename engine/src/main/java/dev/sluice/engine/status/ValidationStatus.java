package dev.sluice.engine.status;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;

/**
 * The validation of the tables while changes are applied. Immutable; absent values are null.
 *
 * @param waiting why no session runs at present; null while one does, or between two sessions
 * @param sessions that have compared something, since the daemon's start
 * @param rows that were compared by them
 * @param keys single rows that were looked up by them
 * @param lastSeconds how long the last session took; null before the first one
 * @param provenTables tables whose every row is proven equal, as of the last session
 * @param start what the start has taken over of the daemon before it, or why nothing; null if there
 *     was nothing
 */
public record ValidationStatus(
    String waiting,
    long sessions,
    long rows,
    long keys,
    Double lastSeconds,
    long provenTables,
    List<Table> tables,
    String start) {
  public ValidationStatus {
    tables = TaskStatus.listOf(tables);
  }

  /** What is nearest to a fault, or was read longest ago, comes first. */
  private static final Comparator<Table> WORST_FIRST =
      Comparator.comparingLong(Table::failed)
          .reversed()
          .thenComparing(table -> table.problem() == null)
          .thenComparing(Table::proven)
          .thenComparing(Comparator.comparingLong(Table::unknown).reversed())
          .thenComparing(Table::read, Comparator.nullsFirst(Comparator.comparing(Pass::at)))
          .thenComparing(Table::schema)
          .thenComparing(Table::table);

  /** The tables that are worst, the worst first. */
  public List<Table> worst(int most) {
    return tables.stream().sorted(WORST_FIRST).limit(most).toList();
  }

  /** Rows of all tables that differ. */
  public long failed() {
    return tables.stream().mapToLong(Table::failed).sum();
  }

  /** Those of the rows that differ of which the target has rejected a change. */
  public long rejected() {
    return tables.stream().mapToLong(Table::rejected).sum();
  }

  /** Rows of all tables of which it is not known yet whether they differ. */
  public long pending() {
    return tables.stream().mapToLong(Table::pending).sum();
  }

  /** Rows of all tables that change too often to be compared. */
  public long suspended() {
    return tables.stream().mapToLong(Table::suspended).sum();
  }

  /** Rows of all tables that were changed and not compared since. */
  public long touched() {
    return tables.stream().mapToLong(Table::touched).sum();
  }

  /**
   * A table.
   *
   * @param state in DMS's words
   * @param proven whether every row is proven equal
   * @param read the last complete pass; null before it
   * @param reading the pass that runs; null if none does
   * @param followed whether all changes since the last complete pass are known and compared or
   *     counted
   * @param touched rows that were changed and not compared since
   * @param failed rows that differ
   * @param rejected those of them of which the target has rejected a change
   * @param pending rows of which it is not known yet
   * @param suspended rows that change too often to be compared
   * @param notCompared columns that are not compared, with the reason
   * @param problem why the last session could not compare the table; null if it could
   */
  public record Table(
      String schema,
      String table,
      String state,
      boolean proven,
      Pass read,
      Pass reading,
      boolean followed,
      long touched,
      long failed,
      long rejected,
      long pending,
      long suspended,
      List<String> notCompared,
      String problem) {
    public Table {
      notCompared = TaskStatus.listOf(notCompared);
    }

    /** Rows of which it is not known whether they are equal now. */
    private long unknown() {
      return pending + suspended + touched;
    }

    /** Whether something of it is to be looked at; rows that were only changed are no finding. */
    public boolean hasFindings() {
      return problem != null || failed + pending + suspended > 0;
    }
  }

  /**
   * A pass over all rows of a table.
   *
   * @param at when it ended, or began if it runs
   * @param position the oldest position of the source's log at which a row was read
   */
  public record Pass(Instant at, String position, long rows) {}
}
