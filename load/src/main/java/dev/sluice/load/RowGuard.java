package dev.sluice.load;

import dev.sluice.config.Counted;
import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.FullLoadSettings.PrepMode;
import dev.sluice.connector.api.FollowedTable;
import dev.sluice.connector.api.source.TaskMark;
import dev.sluice.load.FilledTables.Filled;
import dev.sluice.sink.target.LoadStatements.Existing;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetLimit;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Prevents a load from deleting rows that its task did not load. Immutable, threadsafe.
 *
 * @param own true for target tables whose rows an earlier attempt of the task has loaded
 * @param mayOverwrite true if the user allows rows to be deleted; this never covers tables that are
 *     another task's source
 * @param sources finds the tables of the target that other tasks replicate from
 * @param mark the mark of the task on tables that it created; empty if it creates none
 */
public record RowGuard(
    Predicate<TableId> own, boolean mayOverwrite, Sources sources, Optional<TaskMark> mark) {

  /** The guard for work that creates no tables. */
  public RowGuard(Predicate<TableId> own, boolean mayOverwrite, Sources sources) {
    this(own, mayOverwrite, sources, Optional.empty());
  }

  /** Allows everything: all rows in the tables are known to be the task's own. */
  public static final RowGuard NONE =
      new RowGuard(table -> true, true, (connection, tables) -> List.of());

  /** Finds the tables of a database that are the source of a task. */
  @FunctionalInterface
  public interface Sources {
    List<FollowedTable> among(Connection connection, Collection<TableId> tables)
        throws SQLException;
  }

  /** The user's consent as written in the task file. */
  public static final String CONSENT = "overwrite-target-rows: true";

  private static final int NAMED_AT_MOST = 100;

  /** The same guard for a task that has loaded nothing yet. */
  public RowGuard owningNothing() {
    return new RowGuard(table -> false, mayOverwrite, sources, mark);
  }

  /**
   * The same guard for tables that the task replicates, so that all rows are its own. It needs no
   * consent, and so has none for what others put into their place.
   */
  public RowGuard owningAll() {
    return new RowGuard(table -> true, false, sources, mark);
  }

  /**
   * The problem that prevents the load; empty if there is none. Locks nothing.
   *
   * @param mode how the tables are prepared before the load
   */
  public Optional<Problem> problem(
      TargetConnection connection, Collection<TableId> tables, PrepMode mode) {
    try {
      FilledTables filled = new FilledTables(connection);
      List<FollowedTable> followed = sources.among(connection.jdbc(), others(tables));
      List<Filled> found = filled.among(filled.existing(guarded(tables, mode, followed)));
      connection.rollback();
      return found.isEmpty() ? Optional.empty() : Optional.of(problem(found, mode, followed));
    } catch (SQLException e) {
      connection.rollback();
      throw connection.errors().classify("look for rows in the target's tables", e);
    }
  }

  /**
   * Fails if there is a problem. Called in the transaction that deletes the rows: it locks the
   * tables, so no row can be inserted between the check and the end of the transaction. Where the
   * target cannot lock them, {@link #emptied} leaves out what may have been filled meanwhile.
   *
   * @throws SluiceException.Fatal if tables have rows that the task did not load; names each of
   *     them
   */
  public void require(TargetConnection connection, Collection<TableId> tables, PrepMode mode) {
    try {
      lock(connection, tables, mode);
    } catch (SQLException e) {
      connection.rollback();
      throw connection.errors().classify("look for rows in the target's tables", e);
    }
  }

  /**
   * The tables whose rows may be deleted after {@link #require}. Without a lock others may have
   * written since into a table that was empty.
   */
  public List<TableId> emptied(
      TargetConnection connection, Collection<TableId> tables, PrepMode mode) {
    boolean locks = !connection.dialect().limits().contains(TargetLimit.TABLE_LOCKS);
    boolean all = mode == PrepMode.TRUNCATE_BEFORE_LOAD && (locks || mayOverwrite);
    return tables.stream().filter(table -> all || own.test(table)).toList();
  }

  private void lock(TargetConnection connection, Collection<TableId> tables, PrepMode mode)
      throws SQLException {
    FilledTables filled = new FilledTables(connection);
    List<FollowedTable> followed = sources.among(connection.jdbc(), others(tables));
    List<Existing> existing = filled.existing(guarded(tables, mode, followed));
    // The check, which has a timeout, waits for concurrent writers; a lock would wait without
    // limit.
    List<Filled> found = filled.among(existing);
    if (found.isEmpty() && !existing.isEmpty() && mode != PrepMode.DO_NOTHING) {
      Optional<String> lock = connection.dialect().load().lock(existing);
      if (lock.isPresent()) {
        connection.execute(lock.get());
        found = filled.among(existing);
      }
    }
    if (!found.isEmpty()) {
      connection.rollback();
      throw new SluiceException.Fatal(problem(found, mode, followed));
    }
  }

  /**
   * True if the user's consent is enough. It allows overwriting rows, but not mixing them with
   * others.
   */
  private boolean isSatisfied(PrepMode mode) {
    return mayOverwrite && mode != PrepMode.DO_NOTHING;
  }

  private List<TableId> others(Collection<TableId> tables) {
    return tables.stream().filter(table -> !own.test(table)).distinct().toList();
  }

  /**
   * The tables to check. The user's consent never covers tables that another task replicates from.
   */
  private List<TableId> guarded(
      Collection<TableId> tables, PrepMode mode, List<FollowedTable> followed) {
    return isSatisfied(mode)
        ? followed.stream().map(FollowedTable::table).distinct().toList()
        : others(tables);
  }

  private static Problem problem(List<Filled> filled, PrepMode mode, List<FollowedTable> followed) {
    List<Filled> sources =
        filled.stream()
            .filter(
                table -> followed.stream().anyMatch(other -> other.table().equals(table.table())))
            .toList();
    return sources.isEmpty() ? problem(filled, mode) : problemOfSources(sources, followed);
  }

  private static Problem problemOfSources(List<Filled> filled, List<FollowedTable> followed) {
    List<TableId> tables = filled.stream().map(Filled::table).toList();
    List<String> tasks = new ArrayList<>();
    TreeSet<String> removals = new TreeSet<>();
    for (FollowedTable other : followed) {
      if (tables.contains(other.table())) {
        if (!tasks.contains(other.task())) {
          tasks.add(other.task());
        }
        removals.add(other.removal());
      }
    }
    return new Problem(
        "target tables",
        "this database is the source of task %s; its tables that hold rows: %s"
            .formatted(String.join("; and of task ", tasks), names(filled)),
        "tables that no task replicates: the load would delete rows that another task reads."
            + " overwrite-target-rows does not allow that",
        "Check whether source and target are exchanged in this task file. If these rows may"
            + " really be lost, end the other task first, with its own task file: sluice stop"
            + " --drop. Only if that task is gone for good, or this database is a copy that it"
            + " never read, run here: "
            + String.join("; ", removals));
  }

  private static String names(List<Filled> filled) {
    List<Filled> named = filled.subList(0, Math.min(NAMED_AT_MOST, filled.size()));
    return named.stream().map(Filled::toString).collect(Collectors.joining(", "))
        + (named.size() < filled.size() ? " and " + (filled.size() - named.size()) + " more" : "");
  }

  private static Problem problem(List<Filled> filled, PrepMode mode) {
    String found =
        "%s with rows that this task has not loaded: %s"
            .formatted(Counted.of(filled.size(), "table"), names(filled));
    String look = "Check whether this is the intended target. ";
    return mode == PrepMode.DO_NOTHING
        ? new Problem(
            "target tables",
            found,
            "empty tables, as TargetTablePrepMode is DO_NOTHING: the load would add its rows to"
                + " those that are there",
            look
                + "Where the rows may be lost: set TargetTablePrepMode to TRUNCATE_BEFORE_LOAD and "
                + CONSENT
                + " in the task file. Where they are to stay, and changes are to be applied to"
                + " them: migration-type cdc")
        : new Problem(
            "target tables",
            found,
            "empty tables or none, as TargetTablePrepMode %s would %s"
                .formatted(
                    mode,
                    mode == PrepMode.DROP_AND_CREATE ? "drop their rows" : "delete their rows"),
            look + "Where the rows may be lost, write into the task file: " + CONSENT);
  }
}
