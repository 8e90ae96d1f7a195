package dev.sluice.engine.validate.repair;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.comparison.CheckpointQuery;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.connector.comparison.PostgresComparisonSource;
import dev.sluice.connector.comparison.SideServer;
import dev.sluice.embedded.derby.EmbeddedDerby;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.validate.session.ComparisonPlan;
import dev.sluice.engine.validate.session.ComparisonSession;
import dev.sluice.engine.validate.session.SessionLimits;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.schema.CheckpointStore;
import dev.sluice.sink.target.TargetLogin;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.target.db2.Db2Dialect;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A PostgreSQL source and a target of Db2, which a Derby server stands in for, between which
 * nothing moves, with tables in {@code app}, and a repair of the target's rows.
 */
final class Db2RepairPair implements AutoCloseable {
  private static final String CONTROL = "sluice_control";
  private static final CheckpointQuery APPLIED =
      new CheckpointQuery("SELECT position FROM applied.checkpoint", List.of());

  private final EmbeddedPostgres source = EmbeddedPostgres.start();
  private final EmbeddedDerby target;
  private final TargetServer server;

  private RepairJournal journal = new RepairJournal();
  private Checkpoint claimed;

  /**
   * @param target which ends with the pair
   */
  Db2RepairPair(EmbeddedDerby target) {
    this.target = target;
    this.server = new TargetServer(Db2Dialect.INSTANCE, login("test"));
  }

  private TargetLogin login(String program) {
    return new TargetLogin(
        "jdbc:db2://127.0.0.1:%d/%s?securityMechanism=3"
            .formatted(target.port(), EmbeddedDerby.DATABASE),
        "app",
        null,
        program,
        50);
  }

  /** Begins anew with empty databases. */
  void clear() throws SQLException {
    journal = new RepairJournal();
    onSource("DROP SCHEMA IF EXISTS app CASCADE", "CREATE SCHEMA app");
    for (String schema : List.of("app", "applied")) {
      for (String table :
          onTarget(
              "SELECT TABLENAME FROM SYS.SYSTABLES JOIN SYS.SYSSCHEMAS USING (SCHEMAID) WHERE SCHEMANAME = '%s'"
                  .formatted(schema))) {
        onTarget("DROP TABLE %s.%s".formatted(schema, table));
      }
      if (!onTarget(
              "SELECT SCHEMANAME FROM SYS.SYSSCHEMAS WHERE SCHEMANAME = '%s'".formatted(schema))
          .isEmpty()) {
        onTarget("DROP SCHEMA %s RESTRICT".formatted(schema));
      }
    }
    onTarget(
        "CREATE SCHEMA app",
        "CREATE SCHEMA applied",
        "CREATE TABLE applied.checkpoint (position VARCHAR(40))",
        "INSERT INTO applied.checkpoint VALUES ('0/0')");
    CheckpointStore store = new CheckpointStore(server, CONTROL);
    store.create();
    claimed = store.claim("task");
  }

  RepairJournal journal() {
    return journal;
  }

  List<String> onSource(String... statements) throws SQLException {
    try (Connection session = source.connect()) {
      return texts(session, statements);
    }
  }

  /** What the last statement returns, the columns of each row with blanks between them. */
  List<String> onTarget(String... statements) throws SQLException {
    try (Connection session = connectTarget()) {
      return texts(session, statements);
    }
  }

  /** A session that quotes the names in lower case. */
  Connection connectTarget() throws SQLException {
    return Db2Dialect.INSTANCE.sessions().connect(login("other"));
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
  RepairOutcome repair(String table, List<String> key, List<RowKey> rows, TableRepair.Audit audit)
      throws InterruptedException {
    TableId name = new TableId("app", table);
    return new RepairRun(
            server, claimed, session(), APPLIED, journal, source -> source, Duration.ofMinutes(1))
        .of(ComparisonPlan.touched(name, key, rows), (columns, found) -> found, audit);
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
