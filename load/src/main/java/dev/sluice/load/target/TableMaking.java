package dev.sluice.load.target;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.TableOutline;
import dev.sluice.sink.target.TargetConnection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Makes and drops tables on a target where both are done at once, whatever happens next, and whose
 * types are not the source's. Each method ends the connection's open transaction. Stateless,
 * threadsafe.
 */
public interface TableMaking {
  /** How long a connection may take to answer, until it counts as lost. */
  int ANSWER_SECONDS = 10;

  /** How the target makes these tables; asks no server. */
  List<MadeTable> of(List<TableOutline> tables);

  /** What has that name on the target; empty if nothing has. */
  Optional<FoundTable> find(TargetConnection connection, TableId table) throws SQLException;

  /**
   * The tables with foreign keys that reference another one, by the referenced one. It looks at all
   * tables of the server, so it is asked once, and under no lock.
   */
  Map<TableId, Set<TableId>> references(TargetConnection connection, Collection<TableId> tables)
      throws SQLException;

  /** Whether the error of {@link #drop} is that a foreign key references the table. */
  boolean isReferenced(SQLException error);

  /**
   * Lets the server judge a definition without making anything that stays.
   *
   * @return its objection; empty if it takes the definition
   * @throws SQLException if the server cannot answer
   */
  default Optional<String> objection(TargetConnection connection, MadeTable table)
      throws SQLException {
    try {
      tryOut(connection, table);
      return Optional.empty();
    } catch (SQLException e) {
      if (connection.errors().faultOf(e).mayPass()) {
        throw e;
      }
      return Optional.of(connection.errors().textOf(e));
    }
  }

  /** Makes a temporary table of that definition, and drops it. */
  void tryOut(TargetConnection connection, MadeTable table) throws SQLException;

  /**
   * Drops a table, unless it is not there.
   *
   * @param permission asked while nobody else can read or write the table; it throws if the table
   *     must stay
   * @return whether it was dropped
   */
  boolean drop(TargetConnection connection, TableId table, Permission permission)
      throws SQLException;

  /**
   * Creates a table.
   *
   * @param comment that it carries
   */
  void create(TargetConnection connection, MadeTable table, String comment) throws SQLException;

  /**
   * The indexes of a table that is there which its source's table does not have, and with which its
   * rows or its indexes might be refused: unique ones of other columns, and those whose names
   * others are to have.
   */
  List<String> indexesInTheWay(TargetConnection connection, MadeTable table) throws SQLException;

  /** Whether the error of {@link #create} is that something of that name is there. */
  boolean isThere(SQLException error);

  /** The tables with a comment in the database that the session names. */
  List<FoundTable> commented(TargetConnection connection) throws SQLException;

  /**
   * Removes the comment of a table, unless the table is gone.
   *
   * @return why the server refuses that, in its words: the table is in use or damaged, or the user
   *     may not alter it; empty if the table has no comment now
   * @throws SQLException if the connection is lost
   */
  default Optional<String> removeComment(TargetConnection connection, TableId table)
      throws SQLException {
    try {
      alterComment(connection, table);
      return Optional.empty();
    } catch (SQLException e) {
      if (isGone(e)) {
        return Optional.empty();
      }
      if (!connection.jdbc().isValid(ANSWER_SECONDS)) {
        throw e;
      }
      return Optional.of(connection.errors().textOf(e));
    }
  }

  /** Alters a table so that it has no comment. */
  void alterComment(TargetConnection connection, TableId table) throws SQLException;

  /** Whether the error is that there is no such table. */
  boolean isGone(SQLException error);

  /** The statement that does so, for messages. */
  String withoutComment(TableId table);

  /** The statement or function that shows people the text of a trigger. */
  String textOfTriggers();

  /** Decides whether a table may be dropped. */
  @FunctionalInterface
  interface Permission {
    /**
     * @param filled whether it has rows
     */
    void require(FoundTable table, boolean filled) throws SQLException;
  }
}
