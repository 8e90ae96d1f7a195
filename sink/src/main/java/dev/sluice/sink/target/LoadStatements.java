package dev.sluice.sink.target;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.CompletionStep.Stage;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** What a load needs around its rows: guards before, completion after. Stateless, threadsafe. */
public interface LoadStatements {

  /**
   * A table that exists on the target. Immutable.
   *
   * @param from its name in a query for its own rows and those of its partitions
   * @param estimatedRows by the target's statistics
   */
  record Existing(TableId table, String from, long estimatedRows) {}

  /** Those of the tables that exist, ordered by name. */
  List<Existing> existing(Connection session, Collection<TableId> tables) throws SQLException;

  /**
   * Keeps every other session away from the tables until the transaction ends; empty if the target
   * cannot.
   */
  Optional<String> lock(List<Existing> tables);

  /** Counts a table's rows up to a limit. */
  String countUpTo(Existing table, int limit);

  /** Limits each statement of the open transaction, which may be limited already. */
  Limit limitStatements(Connection session, Duration limit) throws SQLException;

  /** A limit of statements; its end restores what was there before. */
  interface Limit {
    void end() throws SQLException;
  }

  /**
   * The tables that others use, so that a statement that changes a definition would wait for them,
   * and whoever comes after it would wait as well. Waits two seconds at most for all of them. Empty
   * where nothing waits so. The session is closed afterwards.
   */
  default List<TableId> inUse(Connection session, Collection<TableId> tables) throws SQLException {
    return List.of();
  }

  /** Where the server lists the sessions for which others wait, for messages. */
  default String listOfSessions() {
    throw new IllegalStateException("BUG: no session of this target is waited for");
  }

  /**
   * The settings of a session that completes tables: builds indexes, or creates and validates
   * constraints.
   *
   * @param stage of all its steps
   * @param memoryBytes memory for building one index
   */
  default List<String> completionSettings(Stage stage, long memoryBytes) {
    return List.of();
  }

  /** Settings of such a session that not every server has. */
  default List<String> optionalSettings() {
    return List.of();
  }

  /**
   * Turns off the check of function bodies for the open transaction: a body may name objects that
   * are created later.
   */
  default List<String> uncheckedFunctions() {
    return List.of();
  }

  /** Collects the statistics of a table; empty if the server does that by itself. */
  Optional<String> analyze(TableId table);
}
