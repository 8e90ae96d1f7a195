package dev.sluice.demo;

import dev.sluice.config.Counted;
import dev.sluice.demo.workload.ShopScale;
import dev.sluice.demo.workload.ShopWorkload;
import dev.sluice.embedded.FreePort;
import dev.sluice.engine.status.TaskStatus;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * A complete migration on this machine: two servers, a workload, load, changes, cutover and a
 * comparison of every row, with the same commands that users run. Owned by one thread; single use.
 */
public final class Demo {

  /** Runs a command of the command line to its end and returns its exit code. */
  public interface CommandLine {
    int run(String... arguments);
  }

  /**
   * The size of the demo.
   *
   * @param replicating how long the workload continues after the load
   * @param connections of the workload
   * @param transactionsPerSecond of the workload in total; 0 for as many as the source allows
   */
  public record Size(
      Duration replicating, int connections, int transactionsPerSecond, ShopScale scale) {}

  private static final Duration TIMEOUT = Duration.ofMinutes(10);

  private final DemoRoute route;
  private final Size size;
  private final CommandLine commandLine;
  private final DemoScreen screen;
  private final DemoSteps steps;

  Demo(DemoRoute route, Size size, CommandLine commandLine, PrintStream out, boolean terminal) {
    this.route = route;
    this.size = size;
    this.commandLine = commandLine;
    this.screen = new DemoScreen(out, terminal, Instant.now());
    this.steps = new DemoSteps(screen, commandLine);
  }

  /**
   * Runs the demo in a folder that is deleted at the end; after a failure it is kept, with the
   * daemon's log.
   *
   * @return whether every row is equal
   */
  public boolean run(Path folder) throws Exception {
    boolean equal = false;
    steps.step("starting %s in %s".formatted(route.servers(), folder));
    try (DemoServers servers = route.start(folder)) {
      servers.prepare(size.scale());
      steps.step(
          "source: nine tables with data; workload of %d connections, %s transactions/s"
              .formatted(
                  size.connections(),
                  size.transactionsPerSecond() == 0 ? "unlimited" : size.transactionsPerSecond()));
      equal = migrate(servers, folder);
    } finally {
      if (equal) {
        delete(folder);
      } else {
        screen.print("The task file, the data and the daemon's log are in " + folder);
      }
    }
    return equal;
  }

  private boolean migrate(DemoServers servers, Path folder) throws Exception {
    int port = FreePort.find();
    String task = DemoTaskFile.write(folder, servers, port).toString();
    DemoStatus status = new DemoStatus(port);
    try (ShopWorkload workload =
        ShopWorkload.start(
            servers.transactions(),
            servers::connectSource,
            size.scale(),
            size.connections(),
            size.transactionsPerSecond())) {
      steps.step("$ sluice run " + task);
      CompletableFuture<Integer> daemon =
          CompletableFuture.supplyAsync(
              () -> commandLine.run("run", task), work -> new Thread(work, "demo-daemon").start());
      try {
        if (!watchUntilReplicating(status, daemon)) {
          return false;
        }
        watch(status, daemon, size.replicating());
        workload.stop();
        steps.step(
            "workload stopped: %s committed, %,d rolled back"
                .formatted(Counted.of(workload.committed(), "transaction"), workload.rolledBack()));
        return servers.cutOver(steps, task) && verdict(servers, task, status.read());
      } finally {
        if (!daemon.isDone()) {
          steps.command("stop", task, "--drop");
          daemon.join();
        }
      }
    }
  }

  private boolean watchUntilReplicating(DemoStatus status, CompletableFuture<Integer> daemon)
      throws InterruptedException {
    Instant limit = Instant.now().plus(TIMEOUT);
    while (Instant.now().isBefore(limit)) {
      Optional<TaskStatus> page = status.read();
      page.ifPresent(now -> screen.progress(Instant.now(), DemoStatus.line(now)));
      if (page.isPresent() && page.get().phase().equals("replicating")) {
        steps.step("full load is done, changes are replicated");
        return true;
      }
      if (daemon.isDone()) {
        screen.print("The daemon ended with exit code " + daemon.join() + ".");
        return false;
      }
      Thread.sleep(500);
    }
    screen.print("The task is not replicating after " + TIMEOUT.toMinutes() + " minutes.");
    return false;
  }

  private void watch(DemoStatus status, CompletableFuture<Integer> daemon, Duration time)
      throws InterruptedException {
    Instant end = Instant.now().plus(time);
    while (Instant.now().isBefore(end) && !daemon.isDone()) {
      status.read().ifPresent(page -> screen.progress(Instant.now(), DemoStatus.line(page)));
      Thread.sleep(1_000);
    }
  }

  private boolean verdict(DemoServers servers, String task, Optional<TaskStatus> status) {
    boolean equal = servers.areEqual(steps, task);
    status.ifPresent(page -> screen.print(DemoStatus.summary(page)));
    screen.print(
        equal
            ? "EQUAL: every row of every table is the same on both sides."
            : "NOT EQUAL: see the rows above.");
    return equal;
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      files
          .sorted(Comparator.reverseOrder())
          .forEach(
              file -> {
                try {
                  Files.deleteIfExists(file);
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
    }
  }
}
