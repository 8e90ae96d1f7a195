package dev.sluice.connector.postgres.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.Secret;
import dev.sluice.connector.api.source.TaskMark;
import dev.sluice.connector.api.source.catalog.SourceCatalog;
import dev.sluice.connector.postgres.PostgresSource;
import dev.sluice.connector.postgres.SourceFixture;
import dev.sluice.connector.postgres.ddl.DefinitionTrigger;
import dev.sluice.connector.postgres.publication.Publication;
import dev.sluice.connector.postgres.publication.PublishedRows;
import dev.sluice.embedded.postgres.Relay;
import dev.sluice.embedded.postgres.Relay.Harm;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LockAttemptsTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  @Test
  void aLongReaderDelaysOnlyTheDaemon() throws Exception {
    try (SourceFixture fixture = new SourceFixture("CREATE TABLE keyless (a int)");
        Connection reader = fixture.connect()) {
      holding(reader, "SELECT FROM keyless");
      SourceCatalog catalog = fixture.source.catalog(table -> true);
      CompletableFuture<List<TableId>> given =
          CompletableFuture.supplyAsync(
              () -> fixture.source.capturedTables().giveReplicaIdentity(catalog));
      fixture.execute("SET statement_timeout = '60s'");
      // Behind a lock that is waited for without end, this would wait without end.
      for (int row = 0; row < 50; row++) {
        fixture.execute("INSERT INTO keyless VALUES (1)");
        Thread.sleep(20);
      }
      assertThat(given).isNotDone();
      reader.rollback();
      assertThat(given.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
          .containsExactly(new TableId("public", "keyless"));
      assertThat(identity(fixture, "keyless")).isEqualTo("f");
    }
  }

  @Test
  void holdersOfALockAreNamedWhenTheTimeHasPassed() throws Exception {
    try (SourceFixture fixture =
            new SourceFixture(
                "CREATE TABLE keyless (a int)", "CREATE TABLE t (id int PRIMARY KEY)");
        Connection application = fixture.connect()) {
      SourceCatalog catalog = fixture.source.catalog(table -> true);
      LockAttempts attempts = new LockAttempts(fixture.source.server(), Duration.ofSeconds(3));
      Publication publication =
          new Publication(
              fixture.source.server(),
              "sluice_" + fixture.task,
              "sluice_" + fixture.task,
              TaskMark.ofName(fixture.task),
              attempts,
              new PublishedRows());
      int holder = holding(application, "SELECT /* in the way */ FROM keyless");
      assertThatThrownBy(() -> publication.giveReplicaIdentity(catalog))
          .isInstanceOf(SluiceException.Retryable.class)
          .hasMessageContaining("ALTER TABLE \"public\".\"keyless\" REPLICA IDENTITY FULL")
          .hasMessageContaining("pid " + holder + " ")
          .hasMessageContaining("/* in the way */");
      application.rollback();

      List<TableId> tables = List.of(new TableId("public", "t"), new TableId("public", "keyless"));
      holding(application, "LOCK TABLE t IN SHARE MODE");
      assertThatThrownBy(() -> publication.include(tables))
          .isInstanceOf(SluiceException.Retryable.class)
          .hasMessageContaining("pid " + holder + " ");
      application.rollback();
      publication.include(tables);

      holding(
          application, "ALTER PUBLICATION sluice_" + fixture.task + " SET (publish = 'insert')");
      assertThatThrownBy(publication::drop)
          .isInstanceOf(SluiceException.Retryable.class)
          .hasMessageContaining("pid " + holder + " ");
      application.rollback();
      publication.drop();
    }
  }

  @Test
  void aLockedPartitionDelaysReadingTheCatalogButLocksNoOtherPartition() throws Exception {
    try (SourceFixture fixture =
            new SourceFixture(
                "CREATE TABLE parted (id int PRIMARY KEY) PARTITION BY RANGE (id)",
                "CREATE TABLE low PARTITION OF parted FOR VALUES FROM (0) TO (10)",
                "CREATE TABLE high PARTITION OF parted FOR VALUES FROM (10) TO (20)");
        Connection application = fixture.connect()) {
      holding(application, "LOCK TABLE high");
      CompletableFuture<Optional<String>> installed =
          CompletableFuture.supplyAsync(fixture.source.definitionTrigger()::install);
      await().atMost(PATIENCE).until(() -> fixture.source.definitionTrigger().isInstalled());
      CompletableFuture<SourceCatalog> read =
          CompletableFuture.supplyAsync(
              () -> fixture.source.catalog(table -> table.schema().equals("public")));
      fixture.execute("SET statement_timeout = '60s'");
      for (int attempt = 0; attempt < 20; attempt++) {
        fixture.execute("BEGIN", "LOCK TABLE low", "ROLLBACK");
        Thread.sleep(20);
      }
      assertThat(installed).isNotDone();
      assertThat(read).isNotDone();
      application.rollback();
      assertThat(installed.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEmpty();
      assertThat(read.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).published()).hasSize(2);
      DefinitionTrigger trigger = fixture.source.definitionTrigger();
      trigger.remove();
    }
  }

  /** Nothing on the daemon's side can end what its server sessions hold then. */
  @Test
  void aDaemonThatFreezesWhileItWaitsForALockBlocksNoOtherSession() throws Exception {
    try (SourceFixture fixture = new SourceFixture("CREATE TABLE keyless (a int)");
        Connection reader = fixture.connect()) {
      holding(reader, "SELECT FROM keyless");
      SourceCatalog catalog = fixture.source.catalog(table -> true);
      try (Relay machine = new Relay(SourceFixture.server().port())) {
        machine.harmAt("REPLICA IDENTITY FULL", Harm.FREEZE);
        CompletableFuture<List<TableId>> given =
            CompletableFuture.supplyAsync(
                () -> publicationBehind(machine, fixture).giveReplicaIdentity(catalog));
        machine.awaitHarm();
        fixture.execute("SET statement_timeout = '60s'");
        // The server may get to the statement a while after it was given it.
        for (int row = 0; row < 20; row++) {
          fixture.execute("INSERT INTO keyless VALUES (1)");
          Thread.sleep(50);
        }
        assertThat(given).isNotDone();
      }
    }
  }

  @Test
  void locksOfADaemonThatFreezesBeforeItsCommitAreReleased() throws Exception {
    try (SourceFixture fixture = new SourceFixture("CREATE TABLE t (id int PRIMARY KEY)");
        Relay machine = new Relay(SourceFixture.server().port())) {
      machine.harmAt("COMMENT ON PUBLICATION", Harm.FREEZE);
      CompletableFuture<Void> included =
          CompletableFuture.runAsync(
              () ->
                  publicationBehind(machine, fixture).include(List.of(new TableId("public", "t"))));
      machine.awaitHarm();
      // The table is locked by now: its transaction has made the publication.
      fixture.execute("SET statement_timeout = '60s'", "ALTER TABLE t ADD COLUMN more int");
      assertThat(included).isNotDone();
      assertThat(text(fixture, "SELECT count(*) FROM pg_publication")).isEqualTo("0");
    }
  }

  /** Of the task whose daemon runs on that machine. */
  private static Publication publicationBehind(Relay machine, SourceFixture fixture) {
    Endpoint there =
        new Endpoint(
            "127.0.0.1",
            machine.port(),
            fixture.task,
            "postgres",
            Secret.of("secret"),
            Map.of("sslmode", "disable"));
    String name = "sluice_" + fixture.task;
    return new PostgresSource(fixture.task, new PostgresConfig(there, name, name, false, false))
        .capturedTables();
  }

  /** Opens a transaction that stays open; returns its session's process id. */
  private static int holding(Connection connection, String sql) throws SQLException {
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      statement.execute("SET search_path = public");
      statement.execute(sql);
      try (ResultSet row = statement.executeQuery("SELECT pg_backend_pid()")) {
        row.next();
        int pid = row.getInt(1);
        // So that it is the last query of the session.
        statement.execute(sql);
        return pid;
      }
    }
  }

  private static String identity(SourceFixture fixture, String table) throws SQLException {
    return text(fixture, "SELECT relreplident FROM pg_class WHERE relname = '" + table + "'");
  }

  private static String text(SourceFixture fixture, String sql) throws SQLException {
    try (Statement statement = fixture.connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getString(1);
    }
  }
}
