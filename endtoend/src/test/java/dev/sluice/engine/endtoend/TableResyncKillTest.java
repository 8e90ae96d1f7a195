package dev.sluice.engine.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.demo.workload.ShopScale;
import dev.sluice.demo.workload.ShopSchema;
import dev.sluice.demo.workload.ShopWorkload;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.TaskFolder;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The daemon is killed at random moments under load while tables are suspended, reloaded, catch up
 * and join, a table without a key among them. The number of kills is short here; the long form is
 * {@code -Dsluice.kills=20}.
 */
@Tag("soak")
class TableResyncKillTest {
  private static final int KILLS = Integer.getInteger("sluice.kills", 2);
  private static final long SEED = Long.getLong("sluice.seed", 20261121L);
  private static final String DATABASE = "returns";
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private static EmbeddedPostgres source;
  private static EmbeddedPostgres target;

  @BeforeAll
  static void startServers() {
    source = EmbeddedPostgres.start();
    target = EmbeddedPostgres.start();
  }

  @AfterAll
  static void stopServers() {
    source.close();
    target.close();
  }

  @Test
  @Timeout(1800)
  void everyTableComesBackWholeWhicheverMomentTheDaemonIsKilled(@TempDir Path folder)
      throws Exception {
    ShopScale scale = new ShopScale(1);
    ShopDatabases.create(source, target, DATABASE, scale);
    Path task =
        TaskFolder.of(folder, DATABASE, source, target, DATABASE, ShopSchema.SCHEMA)
            .settings(
                "{FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE},"
                    + " ErrorBehavior: {DataErrorPolicy: SUSPEND_TABLE},"
                    + " ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1}}")
            .write();

    Random random = new Random(SEED);
    try (ShopWorkload workload =
        ShopWorkload.start(() -> source.connect(DATABASE), scale, 3, 300)) {
      for (int kill = 0; kill < KILLS; kill++) {
        try (DaemonProcess daemon = DaemonProcess.run(task)) {
          daemon.awaitPhase("replicating");
          if (kill % 2 == 0) {
            onTarget("ALTER TABLE shop.order_line ADD CHECK (ol_number < 0) NOT VALID");
          }
          if (kill % 2 == 0) {
            awaitSuspended(daemon, "order_line");
            onTarget("ALTER TABLE shop.order_line DROP CONSTRAINT order_line_ol_number_check");
            order("resume", task, "shop.order_line");
          }
          // One without a key, and one that others refer to. The request need not be answered.
          Thread order = ordering("reload", task, "shop.history", "shop.customer");
          awaitReturning(order);
          Thread.sleep(random.nextInt(2_500));
          daemon.kill();
          order.join();
        }
      }
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        daemon.awaitPhase("replicating");
        workload.stop();
        order("resume", task, "shop.order_line");
        daemon.awaitAllApplied();
        assertThat(daemon.status().path("suspended")).isEmpty();
        try (Connection from = source.connect(DATABASE);
            Connection to = target.connect(DATABASE)) {
          Comparison.assertEqual(from, to, ShopSchema.TABLES);
        }
        assertThat(DaemonProcess.command("cutover", task.toString(), "--quiet-period").exitCode())
            .isZero();
      }
    }
  }

  /** What is refused, as where a table is on its way already, does no harm. */
  private static void order(String order, Path task, String... tables) throws Exception {
    String[] arguments = new String[tables.length + 2];
    arguments[0] = order;
    arguments[1] = task.toString();
    System.arraycopy(tables, 0, arguments, 2, tables.length);
    DaemonProcess.Finished finished = DaemonProcess.command(arguments);
    assertThat(finished.exitCode()).as(finished.output()).isIn(0, 2);
  }

  private static Thread ordering(String order, Path task, String... tables) {
    Thread thread =
        new Thread(
            () -> {
              try {
                order(order, task, tables);
              } catch (Exception | AssertionError e) {
                // The daemon was killed meanwhile.
              }
            });
    thread.start();
    return thread;
  }

  /** Or until they are back already. */
  private static void awaitReturning(Thread order) throws Exception {
    try (Connection connection = target.connect(DATABASE);
        Statement statement = connection.createStatement()) {
      await()
          .atMost(PATIENCE)
          .pollInterval(Duration.ofMillis(20))
          .until(
              () -> {
                boolean isAnswered = !order.isAlive();
                try (ResultSet row =
                    statement.executeQuery(
                        "SELECT 1 FROM sluice_control.sluice_suspended_tables"
                            + " WHERE source_table IN ('history', 'customer')")) {
                  return row.next() || isAnswered;
                }
              });
    }
  }

  private static void awaitSuspended(DaemonProcess daemon, String table) {
    await(table + " is suspended")
        .atMost(PATIENCE)
        .until(() -> daemon.status().path("suspended").findValuesAsText("table").contains(table));
  }

  private static void onTarget(String sql) throws Exception {
    try (Connection connection = target.connect(DATABASE);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
