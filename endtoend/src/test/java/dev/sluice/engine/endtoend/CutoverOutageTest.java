package dev.sluice.engine.endtoend;

import static dev.sluice.engine.Sql.execute;
import static dev.sluice.engine.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.task.TaskFile;
import dev.sluice.embedded.EmbeddedBroker;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.TaskFolder;
import dev.sluice.engine.daemon.RunningDaemon;
import dev.sluice.engine.status.CutoverOrder;
import dev.sluice.engine.status.TaskControl.Outcome;
import dev.sluice.engine.status.TaskStatus;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The source, the target or Kafka is killed, frozen, restarted or cut off from the daemon at a
 * random moment of a cutover while an application sells. Every sale is on exactly one side, and the
 * next start says which. A longer form is {@code -Dsluice.outages=100}, with other moments {@code
 * -Dsluice.seed=N}.
 */
class CutoverOutageTest {
  private static final int OUTAGES = Integer.getInteger("sluice.outages", 3);
  private static final long SEED = Long.getLong("sluice.seed", 20261124L);
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final String DATABASE = "outage";
  private static final String REFUSED = "SM001";

  /** About as many lines has the timeline of a cutover. */
  private static final int LINES = 16;

  private EmbeddedPostgres.Builder sourceServer;
  private EmbeddedPostgres.Builder targetServer;
  private EmbeddedPostgres source;
  private EmbeddedPostgres target;
  private Network toSource;
  private Network toTarget;
  private EmbeddedBroker kafka;
  private Path kafkaFolder;

  static LongStream seeds() {
    return LongStream.range(SEED, SEED + OUTAGES);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  @Timeout(1200)
  void everySaleIsOnExactlyOneSideWhicheverServerFailsWhen(long seed, @TempDir Path folder)
      throws Exception {
    // Seeds in a row would give the same first number.
    Random random = new Random(seed * 0x9E3779B97F4A7C15L);
    Path task = start(folder);
    Shop shop = new Shop();
    Thread selling = new Thread(shop, "shop");
    try {
      boolean moved;
      try (RunningDaemon running = RunningDaemon.replicating(TaskFile.read(task))) {
        selling.start();
        await().atMost(PATIENCE).until(() -> shop.sold(source.port()) > 5);
        CompletableFuture<Outcome> verdict = cutOver(running);
        int lines = 1 + random.nextInt(LINES);
        await()
            .atMost(PATIENCE)
            .pollInterval(Duration.ofMillis(1))
            .until(() -> verdict.isDone() || lines(running) >= lines);
        Thread.sleep(random.nextInt(30));
        String fault = fail(seed, random);
        System.out.printf("seed %d: %s, after line %d%n", seed, fault, lines);
        moved = awaitSettled(running);
        if (!moved) {
          Outcome ended = verdict.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
          assertThat(ended.success()).as(ended.toString()).isFalse();
        }
      }
      try (RunningDaemon again = RunningDaemon.start(TaskFile.read(task))) {
        assertThat(awaitSettled(again)).as("what the next start says").isEqualTo(moved);
        shop.isMoved = moved;
        int before = shop.sold(where(moved));
        await().atMost(PATIENCE).until(() -> shop.sold(where(moved)) > before + 5);
        assertThat(shop.refused).as("refused by the source").isEqualTo(moved);
        shop.ends = true;
        selling.join();
        if (!moved) {
          assertThat(again.daemon().fence(PATIENCE).success()).isTrue();
        }
        assertSales(shop, moved);
      }
    } finally {
      shop.ends = true;
      selling.join();
      toSource.close();
      toTarget.close();
      source.close();
      target.close();
      kafka.close();
    }
  }

  private int where(boolean moved) {
    return moved ? target.port() : source.port();
  }

  /** Every acknowledged sale is on the target once, and all others at most once. */
  private void assertSales(Shop shop, boolean moved) throws SQLException {
    List<String> onTarget = sales(target);
    assertThat(onTarget).doesNotHaveDuplicates().containsAll(shop.acknowledged);
    List<String> onSource = sales(source);
    assertThat(onTarget).containsAll(onSource);
    if (!moved) {
      assertThat(onSource).containsExactlyInAnyOrderElementsOf(onTarget);
    }
    assertThat(text(target, DATABASE, "SELECT sum(sold) FROM shop.item"))
        .isEqualTo(Integer.toString(onTarget.size()));
  }

  private static List<String> sales(EmbeddedPostgres server) throws SQLException {
    String all = text(server, DATABASE, "SELECT string_agg(what, ' ') FROM shop.sale");
    return List.of(all.split(" "));
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

  private static int lines(RunningDaemon running) {
    TaskStatus.Cutover cutover = running.daemon().status().cutover();
    return cutover == null ? 0 : cutover.timeline().size();
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

  private String fail(long seed, Random random) throws Exception {
    Duration away = Duration.ofMillis(random.nextInt(8000));
    // Seeds in a row have all of them.
    switch (Math.floorMod(seed, 9)) {
      case 0:
        return dropped(toSource, "source", random.nextBoolean(), away);
      case 1:
        target.crash();
        Thread.sleep(away.toMillis());
        target = targetServer.port(target.port()).start();
        return "the target was killed for " + away;
      case 2:
        kafka.close();
        Thread.sleep(away.toMillis());
        kafka = EmbeddedBroker.start(kafkaFolder);
        return "Kafka was away for " + away;
      case 3:
        source.crash();
        Thread.sleep(away.toMillis());
        source = sourceServer.port(source.port()).start();
        return "the source was killed for " + away;
      case 4:
        frozen(target, away);
        return "the target was frozen for " + away;
      case 5:
        return dropped(toTarget, "target", random.nextBoolean(), away);
      case 6:
        source.close();
        source = sourceServer.port(source.port()).start();
        return "the source was restarted";
      case 7:
        frozen(source, away);
        return "the source was frozen for " + away;
      default:
        target.close();
        target = targetServer.port(target.port()).start();
        return "the target was restarted";
    }
  }

  private static String dropped(Network network, String side, boolean forgotten, Duration away)
      throws Exception {
    if (forgotten) {
      network.dropAndForget(away);
    } else {
      network.drop(away);
    }
    return "all packets to the %s were dropped for %s%s"
        .formatted(side, away, forgotten ? ", and its connections forgotten" : "");
  }

  private static void frozen(EmbeddedPostgres server, Duration time) throws Exception {
    server.freeze();
    try {
      Thread.sleep(time.toMillis());
    } finally {
      server.thaw();
    }
  }

  private Path start(Path folder) throws Exception {
    kafkaFolder = folder.resolve("kafka");
    OutageTest.keepPorts(kafkaFolder);
    kafka = EmbeddedBroker.start(kafkaFolder);
    sourceServer = EmbeddedPostgres.builder().directory(folder.resolve("source")).fsync();
    targetServer = EmbeddedPostgres.builder().directory(folder.resolve("target")).fsync();
    source = sourceServer.start();
    target = targetServer.start();
    source.createDatabase(DATABASE);
    target.createDatabase(DATABASE);
    execute(
        source,
        DATABASE,
        "CREATE SCHEMA shop; CREATE TABLE shop.item (id int PRIMARY KEY, sold int NOT NULL);"
            + " INSERT INTO shop.item VALUES (1, 0), (2, 0);"
            + " CREATE TABLE shop.sale (id serial PRIMARY KEY, what text NOT NULL)");
    toSource = new Network(source.port());
    toTarget = new Network(target.port());
    return TaskFolder.of(folder, "outages", toSource.port(), toTarget.port(), DATABASE, "shop")
        .replacing(
            "data-dir:", "kafka:\n  bootstrap.servers: " + kafka.bootstrapServers() + "\ndata-dir:")
        .settings(
            "{FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE},"
                + " ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1},"
                + " ErrorBehavior: {RecoverableErrorInterval: 0.2,"
                + " RecoverableErrorThrottlingMax: 1}}")
        .write();
  }

  /** Sells at the source until that refuses it, and then, once it is told, at the target. */
  private final class Shop implements Runnable {
    private final List<String> acknowledged = new ArrayList<>();
    private final List<Integer> where = new ArrayList<>();
    private volatile boolean refused;
    private volatile boolean isMoved;
    private volatile boolean ends;

    synchronized int sold(int port) {
      return (int) where.stream().filter(each -> each == port).count();
    }

    private synchronized void sold(String what, int port) {
      acknowledged.add(what);
      where.add(port);
    }

    @Override
    public void run() {
      int number = 0;
      while (!ends) {
        EmbeddedPostgres server = isMoved ? target : source;
        try (Connection connection = server.connect(DATABASE)) {
          execute(connection, "SET statement_timeout = '20s'");
          while (!ends && (isMoved ? target : source) == server) {
            String what = "sale-" + ++number;
            execute(
                connection,
                "BEGIN; UPDATE shop.item SET sold = sold + 1 WHERE id = %d;"
                        .formatted(1 + number % 2)
                    + " INSERT INTO shop.sale (what) VALUES ('%s'); COMMIT".formatted(what));
            sold(what, server.port());
            Thread.sleep(5);
          }
        } catch (SQLException e) {
          // Another error says nothing about the sale: it may be there or not.
          refused |= REFUSED.equals(e.getSQLState());
          LockSupport.parkNanos(20_000_000);
        } catch (InterruptedException e) {
          return;
        }
      }
    }
  }
}
