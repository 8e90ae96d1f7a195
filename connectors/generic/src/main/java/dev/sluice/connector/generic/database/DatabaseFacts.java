package dev.sluice.connector.generic.database;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.connector.api.source.SourceIdentity;
import dev.sluice.connector.generic.catalog.JdbcServer;
import dev.sluice.connector.generic.config.GenericConfig;
import dev.sluice.connector.generic.config.KnownConnector;
import dev.sluice.connector.generic.record.Bookmark;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;

/**
 * Facts about the database of a known connector that the connector does not report. Stateless; used
 * by the thread of the session.
 */
public interface DatabaseFacts {
  /** The fix for {@link #otherHistory}. */
  String LOAD_AGAIN =
      "If the server was restored or replaced, load the tables again: sluice stop --drop removes"
          + " the task, and the next run loads them. If source.url leads to the wrong server,"
          + " correct it";

  /** The facts for a source's connector. */
  static DatabaseFacts of(GenericConfig config) {
    return switch (config.connector()) {
      case POSTGRESQL ->
          new PostgresFacts(config.properties().get("publication.name"), config.excludedColumns());
      case MARIADB, MYSQL -> new BinlogFacts(config);
      case SQLSERVER, ORACLE, DB2 -> new DrivenFacts(config);
    };
  }

  /**
   * Whether {@link #end} is known for this connector. Otherwise nothing shows that everything was
   * read that was committed up to a moment.
   */
  static boolean knowEnd(KnownConnector connector) {
    return connector == KnownConnector.POSTGRESQL || connector == KnownConnector.MARIADB;
  }

  /** The identity of the server, at whatever address; empty if the database does not have one. */
  Optional<SourceIdentity> identity(Connection session) throws SQLException;

  /** The current definitions of the tables that exist. */
  Map<TableId, DefinitionText> definitions(Connection session, Collection<TableId> tables)
      throws SQLException;

  /** Whether the log does not show changed definitions, so that they are compared all the time. */
  boolean hidesDefinitions();

  /** Why the server's log is not the one in which a bookmark was taken; empty if none is known. */
  Optional<Problem> otherHistory(Connection session, Bookmark bookmark) throws SQLException;

  /**
   * What the log has at its current end, by which it can be recognized; empty if the bookmarks have
   * to be enough.
   */
  default Optional<String> logEnd(Connection session) throws SQLException {
    return Optional.empty();
  }

  /**
   * Why the server's log is not the one in which an earlier {@link #logEnd} was; empty if none is
   * known.
   */
  default Optional<Problem> otherLog(Connection session, String earlierEnd) throws SQLException {
    return Optional.empty();
  }

  /** The current time of the server's clock, where {@link #knowEnd}. */
  default Instant clock(Connection session) throws SQLException {
    throw new IllegalStateException("BUG: the clock of this database is not asked");
  }

  /**
   * The current end of the log, after everything that is committed, if {@link #knowEnd}. A capture
   * reaches it even if nobody writes.
   *
   * @throws dev.sluice.config.document.SluiceException.Fatal if this server does not show it
   */
  default LogEnd end(Connection session) throws SQLException {
    throw new IllegalStateException("BUG: the log of this database has no known end");
  }

  /**
   * Whether a transaction that has begun is a statement without an end, and was read.
   *
   * @param begun that transaction, and Debezium's offset in it
   */
  default boolean hasReadStatement(Connection session, Bookmark begun) throws SQLException {
    return false;
  }

  /** Why this server does not show {@link #end}; empty if it does. */
  default Optional<Problem> noEnd(Connection session) throws SQLException {
    return Optional.empty();
  }

  /** A number of microseconds since 1970 that is a query's only value. */
  static Instant time(Connection session, String query) throws SQLException {
    return Instant.EPOCH.plus(
        Long.parseLong(JdbcServer.rows(session, query).get(0)[0]), ChronoUnit.MICROS);
  }
}
