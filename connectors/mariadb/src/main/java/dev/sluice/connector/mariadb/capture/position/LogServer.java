package dev.sluice.connector.mariadb.capture.position;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.mariadb.server.Flavour;
import dev.sluice.connector.mariadb.server.MariadbQuery;
import dev.sluice.connector.mariadb.type.Collations;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a capture reads from the server before it reads the log. Immutable.
 *
 * @param flavour which kind of server it is
 * @param identity which server it is
 * @param base the name of the log's files without their number
 * @param gtids the transactions of MariaDB's complete log: the last one of each server in each
 *     domain
 * @param gtidMode MySQL's {@code gtid_mode}; empty for MariaDB, whose transactions all have a GTID
 * @param executed the transactions that MySQL has, a {@link GtidSet}; empty for MariaDB
 * @param purged those of them that are in no file of its log any more
 * @param end the end of its log, read after all these
 * @param anyCase whether names of tables ignore the case
 * @param clockAhead how far the server's clock is ahead of this machine's
 */
public record LogServer(
    Flavour flavour,
    String identity,
    String base,
    List<Gtid> gtids,
    String gtidMode,
    String executed,
    String purged,
    BinlogPosition end,
    boolean anyCase,
    Collations collations,
    Duration clockAhead) {
  private static final String CLOCK = "SELECT CAST(UNIX_TIMESTAMP(NOW(6)) * 1000000 AS SIGNED)";

  /**
   * Asks the server.
   *
   * @throws SluiceException.Fatal if it writes no binary log
   */
  public static LogServer read(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      Map<Integer, String> sets = new HashMap<>();
      try (ResultSet rows =
          statement.executeQuery(
              Flavour.of(connection) == Flavour.MARIADB ? Collations.QUERY : Collations.OF_MYSQL)) {
        while (rows.next()) {
          if (rows.getObject(1) != null) {
            sets.put(rows.getInt(1), rows.getString(2));
          }
        }
      }
      try (ResultSet row = statement.executeQuery(CLOCK)) {
        row.next();
        Instant time = Instant.EPOCH.plus(row.getLong(1), ChronoUnit.MICROS);
        return new LogServer(
            Flavour.of(connection),
            identity(new MariadbQuery(connection)),
            base(connection),
            gtids(connection),
            ofMysql(connection, "gtid_mode"),
            ofMysql(connection, "gtid_executed"),
            ofMysql(connection, "gtid_purged"),
            end(new MariadbQuery(connection)).orElseThrow(LogServer::withoutLog),
            anyCase(statement),
            new Collations(sets),
            Duration.between(Instant.now(), time));
      }
    }
  }

  /**
   * The transactions of the log. Read before the log's end, so that the end is after all of them.
   */
  private static List<Gtid> gtids(Connection connection) throws SQLException {
    if (Flavour.of(connection) == Flavour.MYSQL) {
      return List.of();
    }
    String[] row =
        new MariadbQuery(connection).row("SELECT @@global.gtid_binlog_state").orElseThrow();
    return Gtid.parseAll(row[0] == null ? "" : row[0]);
  }

  private static String ofMysql(Connection connection, String setting) throws SQLException {
    return Flavour.of(connection) == Flavour.MYSQL
        ? new MariadbQuery(connection).row("SELECT @@global." + setting).orElseThrow()[0]
        : "";
  }

  /** The same with the timeline of a task that has changed the server so often. */
  public LogServer on(int timeline) {
    return new LogServer(
        flavour,
        identity,
        base,
        gtids,
        gtidMode,
        executed,
        purged,
        end.on(timeline),
        anyCase,
        collations,
        clockAhead);
  }

  /**
   * The server's time, in microseconds since 1970.
   *
   * @param here the same moment by this machine's clock
   */
  public long micros(Instant here) {
    return ChronoUnit.MICROS.between(Instant.EPOCH, here.plus(clockAhead));
  }

  private static boolean anyCase(Statement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery("SELECT @@lower_case_table_names")) {
      row.next();
      return row.getInt(1) != 0;
    }
  }

  /**
   * The identity of the server. MariaDB computes a value from machine and port, which may be the
   * same on two servers. So the server's number is added: it differs if one replicates from the
   * other.
   */
  public static String identity(MariadbQuery query) throws SQLException {
    return query.row(
            "SELECT CONCAT(%s, '/', @@global.server_id)".formatted(query.flavour().identity()))
        .orElseThrow(() -> new SQLException("the server does not say who it is"))[0];
  }

  /** The end of the binary log; empty if the server writes none. */
  public static Optional<BinlogPosition> end(MariadbQuery query) throws SQLException {
    return query
        .row(query.flavour().logStatus())
        .map(row -> BinlogPosition.of(row[0], Long.parseLong(row[1])));
  }

  /**
   * The name of the log's files without their number.
   *
   * @throws SluiceException.Fatal if it writes no binary log
   */
  public static String base(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT @@log_bin_basename")) {
      row.next();
      String path = row.getString(1);
      if (path == null || path.isEmpty()) {
        throw withoutLog();
      }
      return path.substring(path.lastIndexOf('/') + 1);
    }
  }

  private static SluiceException withoutLog() {
    return new SluiceException.Fatal(
        new Problem("the source", "no binary log", "log_bin=ON", "Set log_bin and restart it"));
  }
}
