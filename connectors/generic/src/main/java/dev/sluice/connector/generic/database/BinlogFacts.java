package dev.sluice.connector.generic.database;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.connector.api.source.SourceIdentity;
import dev.sluice.connector.generic.catalog.JdbcServer;
import dev.sluice.connector.generic.config.GenericConfig;
import dev.sluice.connector.generic.config.KnownConnector;
import dev.sluice.connector.generic.record.Bookmark;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** MariaDB and MySQL. */
record BinlogFacts(GenericConfig config) implements DatabaseFacts {
  private static final int ONLY_TIMELINE = 1;

  /** MariaDB computes its identity from the machine and the port, so it proves nothing. */
  @Override
  public Optional<SourceIdentity> identity(Connection session) throws SQLException {
    return config.connector() == KnownConnector.MYSQL
        ? Optional.of(
            new SourceIdentity(
                JdbcServer.rows(session, "SELECT @@global.server_uuid").get(0)[0], ONLY_TIMELINE))
        : Optional.empty();
  }

  @Override
  public Map<TableId, TableDefinition> definitions(Connection session, Collection<TableId> tables)
      throws SQLException {
    return DrivenFacts.described(session, config, tables);
  }

  /** The log has each statement of DDL. */
  @Override
  public boolean hidesDefinitions() {
    return false;
  }

  /**
   * The transactions of MariaDB's log up to a place have ids, which no other log has there. MySQL
   * is told by its identity.
   */
  @Override
  public Optional<Problem> otherHistory(Connection session, Bookmark bookmark) throws SQLException {
    Object then = bookmark.offset().get("gtids");
    if (config.connector() != KnownConnector.MARIADB || then == null) {
      return Optional.empty();
    }
    String file = String.valueOf(bookmark.offset().get("file"));
    long place = ((Number) bookmark.offset().get("pos")).longValue();
    String now = transactionsUpTo(session, file, place);
    return now != null && ids(now).equals(ids(then.toString()))
        ? Optional.empty()
        : Optional.of(
            new Problem(
                "source",
                now == null
                    ? "its binary log has no place %s:%d".formatted(file, place)
                    : "its binary log has the transactions %s up to %s:%d"
                        .formatted(now, file, place),
                "the log that has the transactions %s there, which the journal follows"
                    .formatted(then),
                DatabaseFacts.LOAD_AGAIN));
  }

  /** Null if the log has no such place. */
  private static String transactionsUpTo(Connection session, String file, long place)
      throws SQLException {
    try (PreparedStatement question = session.prepareStatement("SELECT binlog_gtid_pos(?, ?)")) {
      question.setString(1, file);
      question.setLong(2, place);
      try (ResultSet row = question.executeQuery()) {
        row.next();
        return row.getString(1);
      }
    }
  }

  private static Set<String> ids(String list) {
    return Arrays.stream(list.split(","))
        .map(String::strip)
        .filter(id -> !id.isEmpty())
        .collect(Collectors.toSet());
  }
}
