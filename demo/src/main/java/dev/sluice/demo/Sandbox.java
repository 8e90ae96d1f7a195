package dev.sluice.demo;

import dev.sluice.config.Counted;
import dev.sluice.demo.workload.ShopScale;
import dev.sluice.demo.workload.ShopSchema;
import dev.sluice.demo.workload.ShopWorkload;
import dev.sluice.embedded.EmbeddedBroker;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;

/**
 * Two PostgreSQL servers, Kafka and a workload on this machine, for a Kafka Connect cluster that
 * the user starts and that replicates the rows. Owned by one thread; single use.
 */
public final class Sandbox {
  /** How long the target may stand still before the replication counts as stuck. */
  private static final Duration STANDSTILL = Duration.ofMinutes(5);

  private static final Duration PAUSE = Duration.ofSeconds(2);
  private static final int CONNECTIONS = 2;
  private static final int TRANSACTIONS_PER_SECOND = 50;

  private final Duration working;
  private final ShopScale scale;
  private final DemoScreen screen;

  /**
   * @param working how long the workload continues after the first row has arrived
   * @param terminal whether {@code out} is a terminal
   */
  public Sandbox(Duration working, ShopScale scale, PrintStream out, boolean terminal) {
    this.working = working;
    this.scale = scale;
    this.screen = new DemoScreen(out, terminal, Instant.now());
  }

  /**
   * Runs the sandbox in a folder that is kept.
   *
   * @return whether every row is equal
   */
  public boolean run(Path folder) throws Exception {
    step("starting two PostgreSQL servers and Kafka in " + folder);
    try (PostgresServers servers = PostgresServers.start(folder);
        EmbeddedBroker broker = EmbeddedBroker.start(folder.resolve("kafka"));
        Connection source = servers.connectSource();
        Connection target = servers.connectTarget()) {
      servers.prepare(scale);
      ShopSchema.create(target);
      Path task = taskFile(folder, servers, broker.bootstrapServers());
      screen.print(
          """

          Now, each in a shell of its own:

            SOURCE_PASSWORD=any TARGET_PASSWORD=any connect/run-worker bootstrap.servers=%s
            ./sluice connect-config %s --register http://127.0.0.1:8083
          """
              .formatted(broker.bootstrapServers(), task));
      return watch(servers, source, target);
    }
  }

  private boolean watch(PostgresServers servers, Connection source, Connection target)
      throws Exception {
    ShopWorkload workload =
        ShopWorkload.start(servers::connectSource, scale, CONNECTIONS, TRANSACTIONS_PER_SECOND);
    try (workload) {
      while (orders(target) == 0) {
        screen.progress(
            Instant.now(), "source: %,d orders; target: none yet".formatted(orders(source)));
        Thread.sleep(1_000);
      }
      step("the first rows have arrived");
      Instant end = Instant.now().plus(working);
      while (Instant.now().isBefore(end)) {
        screen.progress(
            Instant.now(),
            String.format(
                Locale.ROOT,
                "source: %,d orders; target: %,d orders",
                orders(source),
                orders(target)));
        Thread.sleep(1_000);
      }
      workload.stop();
    }
    step("workload stopped: " + Counted.of(workload.committed(), "transaction") + " committed");
    DemoVerdict verdict = awaitEqual(servers);
    screen.print(verdict.text());
    screen.print(
        verdict.isEqual()
            ? "EQUAL: every row of every table is the same on both sides."
            : "NOT EQUAL: the target has not changed for %d minutes, see the rows above."
                .formatted(STANDSTILL.toMinutes()));
    return verdict.isEqual();
  }

  /** Compares until every row is equal or the target stands still; a slow machine may take long. */
  private DemoVerdict awaitEqual(PostgresServers servers) throws InterruptedException {
    DemoVerdict verdict = servers.compare();
    Instant changed = Instant.now();
    while (!verdict.isEqual() && Instant.now().isBefore(changed.plus(STANDSTILL))) {
      screen.progress(
          Instant.now(), "rows equal on both sides so far: %,d".formatted(verdict.equalRows()));
      Thread.sleep(PAUSE.toMillis());
      DemoVerdict next = servers.compare();
      if (!next.equals(verdict)) {
        changed = Instant.now();
      }
      verdict = next;
    }
    return verdict;
  }

  private static long orders(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT count(*) FROM shop.orders")) {
      row.next();
      return row.getLong(1);
    }
  }

  private static Path taskFile(Path folder, DemoServers servers, String kafka) throws IOException {
    return Files.writeString(
        folder.resolve("shop.yaml"),
        """
        task: sandbox
        migration-type: full-load-and-cdc
        %1$s
        kafka:
          bootstrap.servers: %2$s
        data-dir: data
        table-mappings:
          rules:
            - rule-type: selection
              rule-id: "1"
              rule-name: all tables of the shop
              rule-action: include
              object-locator: { schema-name: %3$s, table-name: "%%" }
        task-settings:
          ChangeProcessingTuning: { BatchApplyTimeoutMin: 0.5 }
        """
            .formatted(servers.sections(), kafka, ShopSchema.SCHEMA));
  }

  private void step(String text) {
    screen.step(Instant.now(), text);
  }
}
