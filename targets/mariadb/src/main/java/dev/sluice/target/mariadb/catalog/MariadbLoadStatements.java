package dev.sluice.target.mariadb.catalog;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.CompletionStep.Stage;
import dev.sluice.sink.target.LoadStatements;
import dev.sluice.target.mariadb.server.ServerKind;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Guards of a load into MariaDB or MySQL. Stateless, threadsafe. */
public final class MariadbLoadStatements implements LoadStatements {
  private static final String EXISTING =
      "SELECT TABLE_NAME, COALESCE(TABLE_ROWS, 0) FROM information_schema.TABLES"
          + " WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? AND TABLE_TYPE <> 'SEQUENCE'";

  private static final int LOCK_TIMEOUT = 1205;

  private final ServerKind server;

  public MariadbLoadStatements(ServerKind server) {
    this.server = server;
  }

  /** The catalog compares names without regard to case, so each name is compared again. */
  @Override
  public List<Existing> existing(Connection session, Collection<TableId> tables)
      throws SQLException {
    List<Existing> found = new ArrayList<>();
    for (TableId table : new TreeSet<>(tables)) {
      try (PreparedStatement statement = MariadbCatalog.prepare(session, EXISTING, table);
          ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          if (row.getString(1).equals(table.name())) {
            found.add(new Existing(table, table.quoted(), row.getLong(2)));
          }
        }
      }
    }
    return found;
  }

  /** None: LOCK TABLES would end the transaction in which the guard reads. */
  @Override
  public Optional<String> lock(List<Existing> tables) {
    return Optional.empty();
  }

  @Override
  public String countUpTo(Existing table, int limit) {
    return "SELECT COUNT(*) FROM (SELECT 1 FROM %s LIMIT %d) AS counted"
        .formatted(table.from(), limit);
  }

  /**
   * The session keeps the limit until it ends. MySQL's limit is in milliseconds and only for
   * statements that read, which the statements of a guard do.
   */
  @Override
  public Limit limitStatements(Connection session, Duration limit) throws SQLException {
    String before = limitOf(session);
    long seconds = Math.max(1, limit.toSeconds());
    limit(session, String.valueOf(server == ServerKind.MYSQL ? seconds * 1000 : seconds));
    return () -> limit(session, before);
  }

  @Override
  public List<TableId> inUse(Connection session, Collection<TableId> tables) throws SQLException {
    if (tables.isEmpty()) {
      return List.of();
    }
    session.setAutoCommit(true);
    try (Statement statement = session.createStatement()) {
      statement.execute("SET SESSION lock_wait_timeout = 2");
      if (locks(statement, List.copyOf(tables))) {
        return List.of();
      }
      statement.execute("SET SESSION lock_wait_timeout = " + server.shortestLockTimeout());
      List<TableId> used = new ArrayList<>();
      for (TableId table : new TreeSet<>(tables)) {
        if (!locks(statement, List.of(table))) {
          used.add(table);
        }
      }
      return used;
    }
  }

  @Override
  public String listOfSessions() {
    return "SHOW PROCESSLIST and information_schema.INNODB_TRX have it";
  }

  /** Whether nobody else uses the tables: locks them, and releases them at once. */
  private static boolean locks(Statement statement, List<TableId> tables) throws SQLException {
    try {
      statement.execute(
          tables.stream()
              .map(table -> table.quoted() + " WRITE")
              .collect(Collectors.joining(", ", "LOCK TABLES ", "")));
      statement.execute("UNLOCK TABLES");
      return true;
    } catch (SQLException e) {
      if (e.getErrorCode() != LOCK_TIMEOUT) {
        throw e;
      }
      return false;
    }
  }

  private String limitOf(Connection session) throws SQLException {
    try (Statement statement = session.createStatement();
        ResultSet row = statement.executeQuery("SELECT @@SESSION." + server.limitOfStatements())) {
      row.next();
      return row.getString(1);
    }
  }

  private void limit(Connection session, String number) throws SQLException {
    try (Statement statement = session.createStatement()) {
      statement.execute("SET SESSION " + server.limitOfStatements() + " = " + number);
    }
  }

  /**
   * The checks of foreign keys stay off: a separate step checks the rows. Foreign keys are created
   * while applications may use the tables, whose statements would wait behind one that waits for a
   * lock. ALTER TABLE of MySQL has no clause for a lock timeout, so the session has one.
   */
  @Override
  public List<String> completionSettings(Stage stage, long memoryBytes) {
    return server == ServerKind.MYSQL && stage == Stage.CONSTRAINTS
        ? List.of("SET SESSION lock_wait_timeout = " + BoundedAlter.SECONDS)
        : List.of();
  }

  /**
   * None: InnoDB collects statistics by itself, and ANALYZE would end the transaction of the step.
   */
  @Override
  public Optional<String> analyze(TableId table) {
    return Optional.empty();
  }
}
