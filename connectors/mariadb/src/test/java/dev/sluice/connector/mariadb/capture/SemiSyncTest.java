package dev.sluice.connector.mariadb.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.connector.journal.JournalReader;
import dev.sluice.connector.mariadb.Servers;
import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import dev.sluice.embedded.mariadb.EmbeddedServer;
import dev.sluice.embedded.mariadb.ServerBuilder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A capture is no replica on which a primary with semi-synchronous replication counts. It reads
 * what is in the log, which may be before the primary has committed it.
 */
class SemiSyncTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private final String master = Servers.sql("master", "source");

  @BeforeEach
  void requireServer() {
    assumeTrue(
        Servers.areMysql() || EmbeddedMariadb.isAvailable(),
        "the MariaDB binaries are for Linux on x86-64");
  }

  @Test
  void aCaptureNeitherAcknowledgesNorLetsThePrimaryWaitWhereverThatWaits() throws Exception {
    try (EmbeddedServer primary = primary();
        LogFixture capture = new LogFixture(primary, "CREATE TABLE t (id int PRIMARY KEY)");
        JournalReader journal = capture.capturing().reader();
        Connection application = primary.connect(capture.database)) {
      capture.execute(global("timeout", "600000"), global("enabled", "ON"));
      int id = 0;
      for (String point : new String[] {"AFTER_SYNC", "AFTER_COMMIT"}) {
        capture.execute(global("wait_point", "'" + point + "'"));
        int row = ++id;
        CompletableFuture<Void> commit = CompletableFuture.runAsync(() -> insert(application, row));
        assertThat(journal.read(1)).as("read before it is acknowledged, %s", point).hasSize(1);
        Awaitility.await().atMost(PATIENCE).until(() -> status(capture, "wait_sessions") == 1);
        assertThat(commit).as("the capture has it, and acknowledged nothing").isNotDone();
        assertThat(status(capture, "clients")).isZero();
        assertThat(capture.value("SELECT count(*) FROM t WHERE id = " + row))
            .as("committed while the primary waits, %s", point)
            .isEqualTo(point.equals("AFTER_COMMIT") ? "1" : "0");
        capture.execute(global("enabled", "OFF"));
        commit.join();
        capture.execute(global("enabled", "ON"));
      }
      capture.execute(global(Servers.sql("wait_no_slave", "wait_no_replica"), "OFF"));
      insert(application, ++id);
      assertThat(status(capture, "no_tx")).as("nobody was waited for").isPositive();
      assertThat(journal.read(1)).hasSize(1);
    }
  }

  private static EmbeddedServer primary() throws Exception {
    ServerBuilder<? extends EmbeddedServer> builder = Servers.builder();
    if (!Servers.areMysql()) {
      return builder.start();
    }
    Path plugins;
    try (Connection any = Servers.shared().connect();
        Statement statement = any.createStatement();
        ResultSet row = statement.executeQuery("SELECT @@basedir")) {
      row.next();
      plugins = Path.of(row.getString(1)).resolve("lib/mysql/plugin");
    }
    assumeTrue(
        Files.exists(plugins.resolve("semisync_source.so")), "this MySQL comes without plugins");
    EmbeddedServer server = builder.setting("plugin-dir", plugins.toString()).start();
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("INSTALL PLUGIN rpl_semi_sync_source SONAME 'semisync_source.so'");
    }
    return server;
  }

  private String global(String setting, String value) {
    return "SET GLOBAL rpl_semi_sync_%s_%s = %s".formatted(master, setting, value);
  }

  private long status(LogFixture capture, String name) {
    return Long.parseLong(
        capture.row("SHOW GLOBAL STATUS LIKE 'Rpl_semi_sync_%s_%s'".formatted(master, name), 2)[1]);
  }

  private static void insert(Connection application, int id) {
    try (Statement statement = application.createStatement()) {
      statement.execute("INSERT INTO t VALUES (" + id + ")");
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
