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
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
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
  public Map<TableId, DefinitionText> definitions(Connection session, Collection<TableId> tables)
      throws SQLException {
    return DrivenFacts.described(session, config, tables);
  }

  /** The log has each statement of DDL. */
  @Override
  public boolean hidesDefinitions() {
    return false;
  }

  /**
   * A copy of MariaDB that was restored to an earlier moment, or whose log was reset, and that has
   * not written as many transactions since. MySQL is told by its identity.
   */
  @Override
  public Optional<Problem> otherHistory(Connection session, Bookmark bookmark) throws SQLException {
    Object then = bookmark.offset().get("gtids");
    if (config.connector() != KnownConnector.MARIADB || then == null) {
      return Optional.empty();
    }
    if (bookmark.offset().get("file") instanceof String file
        && bookmark.offset().get("pos") instanceof Number place) {
      Optional<String> missing = BinlogPlace.missing(session, file, place.longValue());
      if (missing.isPresent()) {
        return missing.map(BinlogFacts::another);
      }
    }
    String now = JdbcServer.rows(session, "SELECT @@global.gtid_binlog_pos").get(0)[0];
    return has(String.valueOf(now), then.toString())
        ? Optional.empty()
        : Optional.of(
            new Problem(
                "source",
                "its binary log ends with the transactions '%s'".formatted(now),
                "a log that has the transactions up to %s, which the journal has".formatted(then),
                DatabaseFacts.LOAD_AGAIN));
  }

  /** MySQL is told by its identity. */
  @Override
  public Optional<String> logEnd(Connection session) throws SQLException {
    return config.connector() == KnownConnector.MARIADB
        ? BinlogPlace.end(session).map(BinlogPlace::text)
        : Optional.empty();
  }

  /** A log after RESET MASTER, or of a copy, whose numbers may be as high again. */
  @Override
  public Optional<Problem> otherLog(Connection session, String earlierEnd) throws SQLException {
    return BinlogPlace.parse(earlierEnd).otherwise(session).map(BinlogFacts::another);
  }

  @Override
  public Instant clock(Connection session) throws SQLException {
    return DatabaseFacts.time(
        session, "SELECT timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6))");
  }

  /**
   * The last transaction of each domain. Debezium's offset at the end of a transaction still names
   * those before it, so its own id counts as well.
   */
  @Override
  public LogEnd end(Connection session) throws SQLException {
    String last =
        String.valueOf(JdbcServer.rows(session, "SELECT @@global.gtid_binlog_pos").get(0)[0]);
    return bookmark ->
        has(bookmark.offset().getOrDefault("gtids", "") + "," + bookmark.transaction(), last);
  }

  /** A statement is a GTID without a BEGIN, and one event. Debezium counts what it has read. */
  @Override
  public boolean hasReadStatement(Connection session, Bookmark begun) throws SQLException {
    if (!(begun.offset().get("file") instanceof String file
        && begun.offset().get("pos") instanceof Number place
        && begun.offset().get("event") instanceof Number events
        && events.longValue() >= 2)) {
      return false;
    }
    try (PreparedStatement question =
        session.prepareStatement("SHOW BINLOG EVENTS IN ? FROM ? LIMIT 1")) {
      question.setString(1, file);
      question.setLong(2, place.longValue());
      try (ResultSet event = question.executeQuery()) {
        return event.next() && isStatement(event.getString("Info"), begun.transaction());
      }
    }
  }

  /** Whether what the server shows of the first event is a statement's. */
  static boolean isStatement(String event, String transaction) {
    return (event + " ").startsWith("GTID " + transaction + " ");
  }

  private static Problem another(String found) {
    return new Problem(
        "source",
        found,
        "the log that the journal follows, without a RESET MASTER",
        DatabaseFacts.LOAD_AGAIN);
  }

  /** Whether a log that ends with the first ids has the others: domain, server, number. */
  static boolean has(String end, String ids) {
    Map<String, Long> last = numbers(end);
    return numbers(ids).entrySet().stream()
        .allMatch(id -> last.getOrDefault(id.getKey(), 0L) >= id.getValue());
  }

  private static Map<String, Long> numbers(String ids) {
    return Arrays.stream(ids.split(","))
        .map(id -> id.strip().split("-"))
        .filter(parts -> parts.length == 3)
        .collect(Collectors.toMap(parts -> parts[0], parts -> Long.parseLong(parts[2]), Long::max));
  }
}
