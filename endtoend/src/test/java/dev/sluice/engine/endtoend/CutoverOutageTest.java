package dev.sluice.engine.endtoend;

import static dev.sluice.engine.Sql.execute;
import static dev.sluice.engine.Sql.rows;
import static dev.sluice.engine.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.task.TaskFile;
import dev.sluice.engine.TaskFolder;
import dev.sluice.engine.cutover.hook.Pgbouncer;
import dev.sluice.engine.daemon.RunningDaemon;
import dev.sluice.engine.status.CutoverOrder;
import dev.sluice.engine.status.CutoverStatus;
import dev.sluice.engine.status.TaskControl.Outcome;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The source, the target, Kafka or pgbouncer is killed, frozen, restarted or cut off from the
 * daemon at a random moment of a cutover while an application sells. Every sale is on exactly one
 * side, and the next start says which. A longer form is {@code -Dsluice.outages=100}, with other
 * moments {@code -Dsluice.seed=N}.
 */
class CutoverOutageTest {
  private static final int OUTAGES = Integer.getInteger("sluice.outages", 4);
  private static final long SEED = Long.getLong("sluice.seed", 20261124L);
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final String DATABASE = "outage";

  /** About as many lines has the timeline of a cutover, and its hooks add as many. */
  private static final int LINES = 16;

  private static final int LINES_OF_HOOKS = 7;

  /** Which server fails. Behind a pooler applications sell only where that one fails. */
  private enum Part {
    SOURCE,
    TARGET,
    BROKER,
    POOLER
  }

  private final SellingApplication shop = new SellingApplication();
  private FailingPostgres source;
  private FailingPostgres target;
  private BrokerProcess broker;
  private FailingPooler pooler;

  static LongStream seeds() {
    return LongStream.range(SEED, SEED + OUTAGES);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  @Timeout(1200)
  void everySaleIsOnExactlyOneSideWhicheverServerFailsWhen(long seed, @TempDir Path folder)
      throws Exception {
    // Four seeds in a row have each part and each outage, sixteen have each of both together.
    Part part = Part.values()[Math.floorMod(seed, 4)];
    Outage outage = Outage.values()[Math.floorMod(seed + Math.floorDiv(seed, 4), 4)];
    assumeThat(part != Part.POOLER || Pgbouncer.program().isPresent())
        .as("skipped: no pgbouncer on the PATH and in /usr/sbin")
        .isTrue();
    // Seeds in a row would give the same first number.
    Random random = new Random(seed * 0x9E3779B97F4A7C15L);
    Path task = start(folder, part);
    boolean moved;
    boolean failedHook;
    try (RunningDaemon running = RunningDaemon.replicating(TaskFile.read(task))) {
      shop.start(pooler == null ? () -> source.application(DATABASE) : pooler::application);
      await().atMost(PATIENCE).until(() -> shop.soldAt(source.port()) > 5);
      CompletableFuture<Outcome> verdict = cutOver(running);
      int lines = 1 + random.nextInt(pooler == null ? LINES : LINES + LINES_OF_HOOKS);
      await()
          .atMost(PATIENCE)
          .pollInterval(Duration.ofMillis(1))
          .until(() -> verdict.isDone() || lines(running) >= lines);
      Thread.sleep(random.nextInt(30));
      String befallen = outage.befall(server(part), random);
      System.out.printf("seed %d: %s %s, after line %d%n", seed, part, befallen, lines);
      moved = awaitSettled(running);
      failedHook =
          cutover(running).stream()
              .flatMap(cutover -> cutover.report().stream())
              .anyMatch(line -> line.startsWith("hook failed"));
      System.out.printf("seed %d: moved %s, hook failed %s%n", seed, moved, failedHook);
      if (!moved) {
        Outcome ended = verdict.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(ended.success()).as(ended.toString()).isFalse();
      }
    }
    try (RunningDaemon again = RunningDaemon.start(TaskFile.read(task))) {
      assertThat(awaitSettled(again)).as("what the next start says").isEqualTo(moved);
      requireSales(moved, failedHook);
      shop.end();
      if (!moved) {
        assertThat(again.daemon().fence(PATIENCE).success()).isTrue();
      }
      assertSales(moved);
    }
  }

  /**
   * The application goes on where it belongs. Behind a pooler it is not told, and nobody does
   * anything, unless the report of the cutover asks for it.
   */
  private void requireSales(boolean moved, boolean failedHook) throws Exception {
    if (moved && pooler == null) {
      shop.moveTo(() -> target.application(DATABASE));
    } else if (moved && failedHook) {
      pooler.moveByHand();
    }
    int port = moved ? target.port() : source.port();
    long before = shop.soldAt(port);
    await().atMost(PATIENCE).until(() -> shop.soldAt(port) > before + 5);
    if (pooler == null) {
      assertThat(shop.isRefused()).as("refused by the source").isEqualTo(moved);
    } else if (!moved) {
      assertThat(shop.isRefused()).as("refused by an open source").isFalse();
    }
  }

  /**
   * Every acknowledged sale is on the target once, and all others at most once. The source has
   * those that it made itself, and all of them.
   */
  private void assertSales(boolean moved) throws SQLException {
    String sales = "SELECT what FROM shop.sale WHERE port = ";
    List<String> onTarget = rows(target.server(), DATABASE, "SELECT what FROM shop.sale");
    assertThat(onTarget).doesNotHaveDuplicates().containsAll(shop.acknowledged());
    assertThat(rows(source.server(), DATABASE, "SELECT what FROM shop.sale"))
        .containsExactlyInAnyOrderElementsOf(
            rows(target.server(), DATABASE, sales + source.port()));
    if (!moved) {
      assertThat(rows(target.server(), DATABASE, sales + target.port())).isEmpty();
    }
    assertThat(text(target.server(), DATABASE, "SELECT sum(sold) FROM shop.item"))
        .isEqualTo(Integer.toString(onTarget.size()));
  }

  private Outage.Server server(Part part) {
    return switch (part) {
      case SOURCE -> source;
      case TARGET -> target;
      case BROKER -> broker;
      case POOLER -> pooler;
    };
  }

  /** Whether the task is cut over; it is in no other phase than that for long. */
  private static boolean awaitSettled(RunningDaemon running) {
    await()
        .atMost(PATIENCE)
        .until(
            () -> {
              if (running.end().isCompletedExceptionally()) {
                running.end().join();
              }
              return List.of("replicating", "cut-over").contains(running.phase());
            });
    return running.phase().equals("cut-over");
  }

  private static Optional<CutoverStatus> cutover(RunningDaemon running) {
    return Optional.ofNullable(running.daemon().status().cutover());
  }

  private static int lines(RunningDaemon running) {
    return cutover(running).map(cutover -> cutover.timeline().size()).orElse(0);
  }

  private static CompletableFuture<Outcome> cutOver(RunningDaemon running) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return running
                .daemon()
                .cutover(
                    new CutoverOrder(
                        Duration.ofSeconds(20),
                        Optional.of(Duration.ofSeconds(5)),
                        Set.of("stopped-writers")));
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        });
  }

  private Path start(Path folder, Part part) throws Exception {
    broker = BrokerProcess.start(folder.resolve("kafka"));
    source = FailingPostgres.start(folder.resolve("source"), DATABASE);
    target = FailingPostgres.start(folder.resolve("target"), DATABASE);
    execute(source.server(), DATABASE, SellingApplication.TABLES);
    String hooks = "";
    if (part == Part.POOLER) {
      pooler =
          FailingPooler.start(folder.resolve("pooler"), DATABASE, source.port(), target.port());
      hooks = pooler.hooks();
    }
    return TaskFolder.of(
            folder, "outages", source.network().port(), target.network().port(), DATABASE, "shop")
        .replacing(
            "data-dir:",
            "kafka:\n  bootstrap.servers: "
                + broker.bootstrapServers()
                + "\n"
                + hooks
                + "data-dir:")
        .settings(
            "{FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE},"
                + " ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1},"
                + " ErrorBehavior: {RecoverableErrorInterval: 0.2,"
                + " RecoverableErrorThrottlingMax: 1}}")
        .write();
  }

  /** The shop last: what it waits for is gone then. */
  @AfterEach
  void stop() throws Exception {
    for (Outage.Server each : new Outage.Server[] {pooler, source, target, broker}) {
      if (each != null) {
        each.close();
      }
    }
    shop.end();
  }
}
