package dev.sluice.sink.target.control;

import dev.sluice.config.TableId;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/**
 * Creates, renews and drops the control tables and their schema. All in the open transaction of the
 * session, if the target can define tables in one. Stateless, threadsafe.
 */
public interface ControlDefinitions {

  boolean hasTable(Connection session, TableId table) throws SQLException;

  /**
   * Requires that a table that is not found is not there: some servers hide what the user may not
   * read.
   *
   * @throws SQLException if the user may not know; the message has the fix
   */
  default void requireSight(Connection session, TableId table) throws SQLException {}

  /** Creates the table, which must be missing. */
  List<String> create(TableId table, ControlShape shape);

  /**
   * The statements that make a table of an earlier version one of this version; none if it is of
   * this version, or missing.
   */
  List<String> renew(Connection session, TableId table, ControlShape shape) throws SQLException;

  /**
   * The statements that make what a table of this version still lacks, and that the target runs
   * outside of a transaction only; none if it lacks nothing.
   */
  default List<String> lacking(Connection session, TableId table, ControlShape shape)
      throws SQLException {
    return List.of();
  }

  boolean hasSchema(Connection session, String schema) throws SQLException;

  /** Creates the schema and marks it as Sluice's own. */
  List<String> createSchema(String schema);

  /** Drops a schema that is Sluice's own and empty. */
  default List<String> dropSchema(String schema) {
    return List.of("DROP SCHEMA " + TableId.quote(schema));
  }

  /** Whether Sluice created the schema and nothing is in it, so that it may be dropped. */
  boolean isOwnAndEmpty(Connection session, String schema) throws SQLException;

  /**
   * Drops tables if all of them are empty, while no other session can use them. On a target that
   * can define tables in a transaction, that is the open one.
   *
   * @param along a table that is dropped with them, whatever it contains
   * @return whether they were dropped
   */
  boolean dropIfEmpty(Connection session, List<TableId> tables, Optional<TableId> along)
      throws SQLException;
}
