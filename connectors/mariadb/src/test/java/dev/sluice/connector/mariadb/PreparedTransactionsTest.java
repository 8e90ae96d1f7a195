package dev.sluice.connector.mariadb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.Secret;
import dev.sluice.connector.api.source.SourceSnapshot;
import dev.sluice.connector.mariadb.server.MariadbConfig;
import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Transactions of XA are of the whole server, so this test has one of its own. */
class PreparedTransactionsTest {
  private static final Duration LIMIT = Duration.ofMinutes(5);
  private static final String ID = "'early'";

  private static EmbeddedMariadb server;
  private static MariadbSource source;

  @BeforeAll
  static void startServer() throws SQLException {
    assumeTrue(EmbeddedMariadb.isAvailable(), "the MariaDB binaries are for Linux on x86-64");
    server = EmbeddedMariadb.start();
    try (Connection admin = server.connect()) {
      run(
          admin,
          "CREATE TABLE t (id INT PRIMARY KEY)",
          "CREATE USER replicator@'%' IDENTIFIED BY 'secret'",
          "GRANT SELECT ON test.* TO replicator@'%'",
          "GRANT PROCESS, REPLICATION SLAVE, BINLOG MONITOR ON *.* TO replicator@'%'");
    }
    source =
        new MariadbSource(
            "prepared",
            new MariadbConfig(
                new Endpoint(
                    MariadbConfig.TYPE,
                    "127.0.0.1",
                    server.port(),
                    "test",
                    "replicator",
                    Secret.of("secret"),
                    Map.of())));
  }

  @AfterAll
  static void stopServer() {
    if (server != null) {
      server.close();
    }
  }

  @Test
  void aLoadDoesNotBeginWhileATransactionIsPreparedAndNamesIt() throws SQLException {
    try (Connection application = server.connect()) {
      prepare(application);
      assertThat(source.checks().notes(TableMappings.EVERYTHING).toString())
          .contains("transactions of XA are prepared: " + ID);
      for (Opening each : openings()) {
        assertThatThrownBy(() -> each.open(Duration.ofSeconds(1)).close())
            .isInstanceOf(SluiceException.Fatal.class)
            .hasMessageContaining(ID)
            .hasMessageContaining("TransactionConsistencyTimeout")
            .hasMessageContaining("XA ROLLBACK");
      }
      run(application, "XA ROLLBACK 'early'");
      assertThat(source.checks().notes(TableMappings.EVERYTHING).toString())
          .doesNotContain("prepared");
      for (Opening each : openings()) {
        each.open(Duration.ofSeconds(1)).close();
      }
    }
  }

  @Test
  void aSnapshotShowsATransactionForWhoseCommitItWaited() throws Exception {
    try (Connection application = server.connect();
        Connection admin = server.connect()) {
      prepare(application);
      CompletableFuture<SourceSnapshot> opening =
          CompletableFuture.supplyAsync(() -> source.retention().create(LIMIT));
      // It asks again and again.
      awaitQuestions(admin, 2);
      assertThat(opening).isNotDone();
      run(application, "XA COMMIT 'early'");
      try (SourceSnapshot snapshot = opening.get()) {
        assertThat(snapshot.position()).isGreaterThanOrEqualTo(source.retention().reading().end());
      }
      run(application, "DELETE FROM t");
    }
  }

  private static void awaitQuestions(Connection admin, int more) {
    long before = questions(admin);
    await().atMost(LIMIT).until(() -> questions(admin) >= before + more);
  }

  private static long questions(Connection admin) {
    try (Statement statement = admin.createStatement();
        var row = statement.executeQuery("SHOW GLOBAL STATUS LIKE 'Com_xa_recover'")) {
      row.next();
      return row.getLong(2);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private interface Opening {
    SourceSnapshot open(Duration timeout);
  }

  private static Opening[] openings() {
    return new Opening[] {source.retention()::create, source.reloadSnapshots()::open};
  }

  private static void prepare(Connection application) throws SQLException {
    run(
        application,
        "XA START 'early'",
        "INSERT INTO t VALUES (1)",
        "XA END 'early'",
        "XA PREPARE 'early'");
  }

  private static void run(Connection session, String... statements) throws SQLException {
    try (Statement statement = session.createStatement()) {
      for (String text : statements) {
        statement.execute(text);
      }
    }
  }
}
