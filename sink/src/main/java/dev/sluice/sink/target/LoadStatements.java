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
   * Locks the tables against all other sessions until the transaction ends; empty if the target
   * cannot.
   */
  Optional<String> lock(List<Existing> tables);

  /** Counts a table's rows up to a limit. */
  String countUpTo(Existing table, int limit);

  /** Limits each statement of the open transaction, which may already have a limit. */
  Limit limitStatements(Connection session, Duration limit) throws SQLException;

  /** A limit of statements; its end restores the earlier limit. */
  interface Limit {
    void end() throws SQLException;
  }

  /**
   * The tables that other sessions use. A DDL statement on one of these would wait, and all later
   * statements on the table would wait behind it. Waits for two seconds at most in total. Empty on
   * targets where DDL does not wait like this. The session is closed afterwards.
   */
  default List<TableId> inUse(Connection session, Collection<TableId> tables) throws SQLException {
    return List.of();
  }

  /** Where the server lists the sessions that block others, for messages. */
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
