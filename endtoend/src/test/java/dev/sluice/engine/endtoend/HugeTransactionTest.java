package dev.sluice.engine.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.TaskFolder;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * One source transaction far above MemoryLimitTotal, in a small heap, with a swap that is too small
 * for it until the limit is raised. The long form, of {@code -Dsluice.huge.rows=5000000}, has
 * MemoryLimitTotal 64 instead of 16 and prints the daemon's peak.
 */
class HugeTransactionTest {
  private static final int ROWS = Integer.getInteger("sluice.huge.rows", 250_000);
  private static final boolean IS_LONG = ROWS > 1_000_000;
  private static final int MEMORY_LIMIT_TOTAL = IS_LONG ? 64 : 16;
  private static final String COMPILER = "-XX:TieredStopAtLevel=" + (IS_LONG ? 4 : 1);
  private static final Duration PATIENCE = Duration.ofSeconds(600 + ROWS / 2_000);

  @Test
  @Timeout(value = 60, unit = TimeUnit.MINUTES)
  void aTransactionLargerThanTheMemoryLimitPassesWhole(@TempDir Path folder) throws Exception {
    try (EmbeddedPostgres source = EmbeddedPostgres.start();
        EmbeddedPostgres target = EmbeddedPostgres.start()) {
      for (EmbeddedPostgres server : new EmbeddedPostgres[] {source, target}) {
        server.createDatabase("huge");
        execute(
            server,
            "CREATE TABLE wide (id int PRIMARY KEY, code int UNIQUE, filler text NOT NULL)");
      }
      Path task =
          TaskFolder.of(folder, "huge", source, target, "huge", "public")
              .settings(
                  "{ChangeProcessingTuning: {MemoryLimitTotal: "
                      + MEMORY_LIMIT_TOTAL
                      + "}, Sluice: {SwapLimit: 1}}")
              .write();
      try (DaemonProcess daemon = DaemonProcess.run(task, "-Xmx512m", COMPILER)) {
        daemon.awaitPhase("replicating");
        execute(
            source,
            "BEGIN;"
                + "INSERT INTO wide SELECT i, i, repeat(md5(i::text), 4) FROM generate_series(1, "
                + ROWS
                + ") i;"
                + "UPDATE wide SET code = -code WHERE id % 10 = 0;"
                + "DELETE FROM wide WHERE id % 7 = 0;"
                + "COMMIT");
        await("SWAP_FULL")
            .atMost(PATIENCE)
            .until(() -> daemon.status().path("problem").asText().startsWith("SWAP_FULL"));
        DaemonProcess.Finished tuned =
            DaemonProcess.commandHere("tune", task.toString(), "SwapLimit=10240");
        assertThat(tuned.exitCode()).as(tuned.output()).isZero();
        assertThat(tuned.output()).contains("Sluice.SwapLimit: 1 MB -> 10240 MB");
        daemon.awaitAllApplied(PATIENCE);
        System.out.printf(
            "%,d rows in one transaction, MemoryLimitTotal %d: peak of the daemon %s%n",
            ROWS, MEMORY_LIMIT_TOTAL, daemon.peakResident());
        assertThat(digest(target)).isEqualTo(digest(source));
        assertThat(daemon.status().at("/swap/transactions_spilled").asLong()).isPositive();
      }
    }
  }

  private static void execute(EmbeddedPostgres server, String sql) throws SQLException {
    try (Connection connection = server.connect("huge");
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static String digest(EmbeddedPostgres server) throws SQLException {
    try (Connection connection = server.connect("huge");
        Statement statement = connection.createStatement();
        ResultSet result =
            statement.executeQuery(
                "SELECT count(*) || ' ' || sum(hashtextextended(w::text, 0)) FROM wide w")) {
      result.next();
      return result.getString(1);
    }
  }
}
