package dev.sluice.engine.load.completion;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.config.settings.DataSize;
import dev.sluice.connector.api.load.CompletionStep;
import dev.sluice.connector.api.load.CompletionStep.Kind;
import dev.sluice.connector.api.load.CompletionStep.Stage;
import dev.sluice.connector.api.load.DefinitionStatement;
import dev.sluice.connector.api.load.SqlDialect;
import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import dev.sluice.embedded.mariadb.EmbeddedServer;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.embedded.postgres.PostgresVersion;
import dev.sluice.embedded.postgres.strict.StrictProxy;
import dev.sluice.load.log.CompletionStepStore;
import dev.sluice.sink.control.schema.CheckpointStore;
import dev.sluice.sink.control.schema.EpochFence;
import dev.sluice.sink.target.TargetDialect;
import dev.sluice.sink.target.TargetLogin;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.target.postgres.PostgresDialect;
import dev.sluice.target.mariadb.MariadbDialect;
import dev.sluice.target.yugabytedb.YugabyteDialect;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Whether two indexes of one table are built at the same time depends on its target. */
class StepsOfOneTableTest {
  private static final String CONTROL = "sluice_control";
  private static final Duration POLL_INTERVAL = Duration.ofMillis(10);
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final TableId BUSY = new TableId("app", "busy");
  private static final TableId FREE = new TableId("app", "free");

  @Test
  void postgresqlBuildsThemAtOnce() throws Exception {
    EmbeddedPostgres postgres = createDatabase("steps_postgres");
    try (Connection session = postgres.connect("steps_postgres")) {
      run(session, "CREATE SCHEMA app");
      assertThat(
              areBuiltAtOnce(
                  target(PostgresDialect.INSTANCE, postgres.port(), "steps_postgres"), session))
          .isTrue();
    }
  }

  @Test
  void yugabytedbBuildsThemOneAfterTheOther() throws Exception {
    EmbeddedPostgres postgres = createDatabase("steps_yugabyte");
    try (StrictProxy proxy = new StrictProxy(postgres.port(), 1);
        Connection session = postgres.connect("steps_yugabyte")) {
      run(session, "CREATE SCHEMA app");
      assertThat(
              areBuiltAtOnce(
                  target(YugabyteDialect.INSTANCE, proxy.port(), "steps_yugabyte"), session))
          .isFalse();
      assertThat(proxy.refused()).isEmpty();
    }
  }

  @Test
  void mariadbBuildsThemOneAfterTheOther() throws Exception {
    try (EmbeddedServer mariadb = EmbeddedMariadb.builder().fsync().start();
        Connection session = mariadb.connect()) {
      run(session, "CREATE DATABASE app");
      assertThat(areBuiltAtOnce(target(MariadbDialect.INSTANCE, mariadb.port(), "app"), session))
          .isFalse();
    }
  }

  /**
   * Holds the table of two indexes, so that the first one waits. Two workers either take both, or
   * the first one and that of another table.
   */
  private static boolean areBuiltAtOnce(TargetServer target, Connection holder) throws Exception {
    run(holder, "CREATE TABLE app.busy (n int)", "CREATE TABLE app.free (n int)");
    new CheckpointStore(target, CONTROL).create();
    CompletionStepStore steps = new CompletionStepStore(target, CONTROL, "task");
    steps.plan(
        List.of(BUSY, FREE),
        EnumSet.allOf(Kind.class),
        Stream.of("busy.first", "busy.second", "free.other")
            .map(name -> index(target.dialect(), name))
            .toList(),
        EpochFence.NONE);
    holder.setAutoCommit(false);
    run(holder, "INSERT INTO app.busy VALUES (1)");
    try (TableCompletion completion =
        TableCompletion.ofWhole(
            target,
            new CompletionSettings(steps, 2, DataSize.ofMebibytes(16), true, true),
            Stage.TABLE)) {
      boolean atOnce = false;
      while (!atOnce && !progress(completion, "free.other").isSettled()) {
        completion.await(POLL_INTERVAL);
        atOnce = progress(completion, "busy.second").isRunning();
      }
      assertThat(progress(completion, "busy.first").isRunning()).isTrue();
      holder.rollback();
      assertThat(completion.await(PATIENCE)).isTrue();
      return atOnce;
    }
  }

  private static CompletionStep index(TargetDialect dialect, String name) {
    String table = name.substring(0, name.indexOf('.'));
    String sql = "CREATE INDEX %s_n ON app.%s (n)".formatted(name.replace('.', '_'), table);
    return CompletionStep.of(
        new TableId("app", table),
        Stage.TABLE,
        1,
        Kind.INDEX,
        name,
        List.of(new DefinitionStatement(new SqlDialect(dialect.type()), name, "", sql)));
  }

  private static CompletionProgress progress(TableCompletion completion, String name) {
    return completion.progress().stream()
        .filter(step -> step.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static EmbeddedPostgres createDatabase(String name) throws SQLException {
    EmbeddedPostgres postgres = TwoDatabases.server(PostgresVersion.NEWEST);
    postgres.createDatabase(name);
    return postgres;
  }

  private static TargetServer target(TargetDialect dialect, int port, String database) {
    boolean mariadb = dialect == MariadbDialect.INSTANCE;
    return new TargetServer(
        dialect,
        new TargetLogin(
            "jdbc:%s://127.0.0.1:%d/%s"
                .formatted(mariadb ? "mariadb" : "postgresql", port, database),
            mariadb ? "root" : "postgres",
            null,
            "test",
            50));
  }

  private static void run(Connection session, String... statements) throws SQLException {
    try (Statement statement = session.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }
}
