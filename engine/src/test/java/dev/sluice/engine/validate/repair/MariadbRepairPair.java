package dev.sluice.engine.validate.repair;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.comparison.CheckpointQuery;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.connector.comparison.PostgresComparisonSource;
import dev.sluice.connector.comparison.SideServer;
import dev.sluice.embedded.mariadb.EmbeddedMysql;
import dev.sluice.embedded.mariadb.EmbeddedServer;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.validate.session.ComparisonPlan;
import dev.sluice.engine.validate.session.ComparisonSession;
import dev.sluice.engine.validate.session.SessionLimits;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.schema.CheckpointStore;
import dev.sluice.sink.control.validation.ValidationStore;
import dev.sluice.sink.target.TargetLogin;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.target.mariadb.MariadbDialect;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A PostgreSQL source and a MariaDB or MySQL target between which nothing moves, with tables in
 * {@code app}, and a repair of the target's rows.
 */
public final class MariadbRepairPair implements AutoCloseable {
  private static final String CONTROL = "sluice_control";
  private static final CheckpointQuery APPLIED =
      new CheckpointQuery("SELECT position FROM applied.checkpoint", List.of());

  private final EmbeddedPostgres source = EmbeddedPostgres.start();
  private final EmbeddedServer target;
  private final String collation;
  private final TargetServer server;

  private RepairJournal journal = new RepairJournal();
  private Checkpoint claimed;

  /**
   * @param target of MariaDB or MySQL, which ends with the pair
   */
  public MariadbRepairPair(EmbeddedServer target) {
    this.target = target;
    boolean mysql = target instanceof EmbeddedMysql;
    this.collation = mysql ? "utf8mb4_0900_bin" : "utf8mb4_nopad_bin";
    MariadbDialect dialect = mysql ? MariadbDialect.MYSQL : MariadbDialect.INSTANCE;
    this.server =
        new TargetServer(
            dialect,
            new TargetLogin(
                "jdbc:%s://127.0.0.1:%d/app".formatted(dialect.type(), target.port()),
                "root",
                null,
                "test",
                50));
  }

  /** Begins anew with empty databases. */
  public void clear() throws SQLException {
    journal = new RepairJournal();
    onSource("DROP SCHEMA IF EXISTS app CASCADE", "CREATE SCHEMA app");
    onTarget(
        "DROP DATABASE IF EXISTS app",
        "CREATE DATABASE app COLLATE " + collation,
        "DROP DATABASE IF EXISTS applied",
        "CREATE DATABASE applied",
        "CREATE TABLE applied.checkpoint (position text)",
        "INSERT INTO applied.checkpoint VALUES ('0/0')");
    CheckpointStore store = new CheckpointStore(server, CONTROL);
    store.create();
    claimed = store.claim("task");
  }

  RepairJournal journal() {
    return journal;
  }

  public List<String> onSource(String... statements) throws SQLException {
    try (Connection session = source.connect()) {
      return texts(session, statements);
    }
  }

  /** What the last statement returns, the columns of each row with blanks between them. */
  public List<String> onTarget(String... statements) throws SQLException {
    try (Connection session = connectTarget()) {
      return texts(session, statements);
    }
  }

  Connection connectTarget() throws SQLException {
    return target.connect();
  }

  private static List<String> texts(Connection session, String... statements) throws SQLException {
    List<String> texts = new ArrayList<>();
    try (Statement statement = session.createStatement()) {
      for (String sql : statements) {
        texts.clear();
        if (statement.execute(sql)) {
          try (ResultSet row = statement.getResultSet()) {
            while (row.next()) {
              List<String> values = new ArrayList<>();
              for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
                values.add(row.getString(i));
              }
              texts.add(String.join(" ", values.stream().map(String::valueOf).toList()));
            }
          }
        }
      }
    }
    return texts;
  }

  /** Repairs rows by their keys; the target's extra ones are deleted. */
  public RepairOutcome repair(
      String table, List<String> key, List<RowKey> rows, TableRepair.Audit audit)
      throws InterruptedException {
    TableId name = new TableId("app", table);
    return new RepairRun(
            server, claimed, session(), APPLIED, journal, source -> source, Duration.ofMinutes(1))
        .of(ComparisonPlan.touched(name, key, rows), (columns, found) -> found, audit);
  }

  /** The notes of its repairs. */
  public ValidationStore store() {
    return new ValidationStore(server, CONTROL, "task");
  }

  private ComparisonSession session() {
    return new ComparisonSession(
        new PostgresComparisonSource(sourceSide()),
        server.comparison(),
        TableMappings.EVERYTHING,
        journal,
        any -> endWindow(),
        new SessionLimits(
            Duration.ofSeconds(60), 1000, 100_000, 1000, 100_000, Duration.ofSeconds(60)));
  }

  private SideServer sourceSide() {
    return new SideServer() {
      @Override
      public Connection open() throws SQLException {
        return DriverManager.getConnection(source.jdbcUrl("postgres"));
      }

      @Override
      public SluiceException failed(String attempted, SQLException error) {
        return new SluiceException.Retryable(attempted, error);
      }

      @Override
      public String toString() {
        return "source";
      }
    };
  }

  /** The target has all that the source has. */
  private void endWindow() {
    RepairJournal.run(
        () -> {
          String end = onSource("SELECT pg_current_wal_insert_lsn()").get(0);
          onTarget("UPDATE applied.checkpoint SET position = '" + Position.parse(end) + "'");
        });
  }

  @Override
  public void close() {
    source.close();
    target.close();
  }
}
