package dev.sluice.sink.load;

import dev.sluice.config.Counted;
import dev.sluice.config.FullLoadSettings.PrepMode;
import dev.sluice.config.Problem;
import dev.sluice.config.SluiceException;
import dev.sluice.config.TableId;
import dev.sluice.sink.load.FilledTables.Existing;
import dev.sluice.sink.load.FilledTables.Filled;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetErrors;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Keeps a load from giving up rows that its task did not load. Immutable, threadsafe.
 *
 * @param own target tables whose rows are the task's own: an attempt before has loaded them
 * @param mayOverwrite whether the user says that rows may be given up
 */
public record RowGuard(Predicate<TableId> own, boolean mayOverwrite) {
  /** Gives up all rows: what is in the tables is known to be the task's own. */
  public static final RowGuard NONE = new RowGuard(table -> true, true);

  /** As the task file spells the user's consent. */
  public static final String CONSENT = "overwrite-target-rows: true";

  private static final int NAMED_AT_MOST = 100;

  /** The same before the first attempt. */
  public RowGuard owningNothing() {
    return new RowGuard(table -> false, mayOverwrite);
  }

  /**
   * What keeps the tables from being loaded. Locks nothing.
   *
   * @param mode what becomes of the tables before the load
   */
  public Optional<Problem> problem(
      TargetConnection connection, Collection<TableId> tables, PrepMode mode) {
    if (isSatisfied(mode)) {
      return Optional.empty();
    }
    try {
      FilledTables filled = new FilledTables(connection);
      List<Filled> found = filled.among(filled.existing(others(tables)));
      connection.rollback();
      return found.isEmpty() ? Optional.empty() : Optional.of(problem(found, mode));
    } catch (SQLException e) {
      connection.rollback();
      throw TargetErrors.classify("look for rows in the target's tables", e);
    }
  }

  /**
   * The same in the transaction that gives the rows up: no row can come into the tables between the
   * look and its end.
   *
   * @throws SluiceException.Fatal naming every table that holds rows of others
   */
  public void require(TargetConnection connection, Collection<TableId> tables, PrepMode mode) {
    if (isSatisfied(mode)) {
      return;
    }
    try {
      lock(connection, tables, mode);
    } catch (SQLException e) {
      connection.rollback();
      throw TargetErrors.classify("look for rows in the target's tables", e);
    }
  }

  private void lock(TargetConnection connection, Collection<TableId> tables, PrepMode mode)
      throws SQLException {
    FilledTables filled = new FilledTables(connection);
    List<Existing> existing = filled.existing(others(tables));
    // Who writes into one of them is waited for by the look, which is bounded, not by a lock.
    List<Filled> found = filled.among(existing);
    if (found.isEmpty() && !existing.isEmpty() && mode != PrepMode.DO_NOTHING) {
      connection.execute(
          "LOCK TABLE "
              + existing.stream().map(Existing::only).collect(Collectors.joining(", "))
              + " IN ACCESS EXCLUSIVE MODE");
      found = filled.among(existing);
    }
    if (!found.isEmpty()) {
      connection.rollback();
      throw new SluiceException.Fatal(problem(found, mode));
    }
  }

  /** Who may overwrite rows may not mix them with others. */
  private boolean isSatisfied(PrepMode mode) {
    return mayOverwrite && mode != PrepMode.DO_NOTHING;
  }

  private List<TableId> others(Collection<TableId> tables) {
    return tables.stream().filter(table -> !own.test(table)).distinct().toList();
  }

  private static Problem problem(List<Filled> filled, PrepMode mode) {
    List<Filled> named = filled.subList(0, Math.min(NAMED_AT_MOST, filled.size()));
    String met =
        "%s with rows that this task has not loaded: %s%s"
            .formatted(
                Counted.of(filled.size(), "table"),
                named.stream().map(Filled::toString).collect(Collectors.joining(", ")),
                named.size() < filled.size()
                    ? " and " + (filled.size() - named.size()) + " more"
                    : "");
    String look = "Look whether this is the target that you mean. ";
    return mode == PrepMode.DO_NOTHING
        ? new Problem(
            "target tables",
            met,
            "empty tables, as TargetTablePrepMode is DO_NOTHING: the load would add its rows to"
                + " those that are there",
            look
                + "Where the rows may be lost: set TargetTablePrepMode to TRUNCATE_BEFORE_LOAD and "
                + CONSENT
                + " in the task file. Where they are to stay, and changes are to be applied to"
                + " them: migration-type cdc")
        : new Problem(
            "target tables",
            met,
            "empty tables or none, as TargetTablePrepMode %s would %s"
                .formatted(
                    mode,
                    mode == PrepMode.DROP_AND_CREATE ? "drop their rows" : "delete their rows"),
            look + "Where the rows may be lost, write into the task file: " + CONSENT);
  }
}
