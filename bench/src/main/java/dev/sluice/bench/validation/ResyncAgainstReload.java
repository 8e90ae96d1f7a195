package dev.sluice.bench.validation;

import dev.sluice.bench.peer.SluiceTask;
import dev.sluice.bench.server.CpuTime;
import dev.sluice.bench.server.Database;
import dev.sluice.bench.server.ServerPair;
import dev.sluice.bench.workload.Digest;
import dev.sluice.bench.workload.OpenLoop;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * A task loses its slot while one row in a thousand differs (a third each changed, deleted and
 * invented on the target), and is resynced under traffic; beside a reload of the same table. Single
 * use.
 *
 * @param rate row changes per second of the traffic
 */
record ResyncAgainstReload(int rows, double rate) {
  private static final Duration LIMIT = Duration.ofHours(1);
  private static final int WRITERS = 4;

  void run(ServerPair servers, PrintStream out) throws Exception {
    try (SluiceTask task =
        new SluiceTask(
            servers,
            "resync",
            "{FullLoadSettings: {TargetTablePrepMode: TRUNCATE_BEFORE_LOAD},"
                + " ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1}}")) {
      for (Database side : List.of(task.source(), task.target())) {
        BigTable.create(side, side == task.source() ? rows : 1);
      }
      task.target().execute("TRUNCATE " + BigTable.NAME);
      task.source()
          .execute(
              "CREATE FUNCTION touch(w int, n bigint) RETURNS void LANGUAGE sql BEGIN ATOMIC UPDATE "
                  + BigTable.NAME
                  + " SET balance = balance + 1 WHERE id = (SELECT 1 + w + "
                  + WRITERS
                  + " * floor(random() * "
                  + rows / WRITERS
                  + ")::int) AND id % 3000 <> 2; END");
      task.start();
      task.awaitApplied();
      task.stop();
      diverge(task);
      task.command("resync", "--delete-extra");
      out.println(
          "\n| one row in a thousand differs, of "
              + String.format(Locale.ROOT, "%,d", rows)
              + " | s | MB over the loopback interface | CPU s of source, target, daemon |\n| --- | --- | --- | --- |");
      try (OpenLoop loop = OpenLoop.start(task.source(), WRITERS, rate, OpenLoop.call("touch"))) {
        Usage usage = new Usage(servers, 0);
        task.start();
        await(
            task,
            "SELECT count(*) FROM sluice_control.task_step WHERE step = 'resync' AND state = 'done'",
            "1");
        out.println(usage.line("`sluice resync` after a lost slot, with the start", task));
        loop.requireHealthy();
        // The daemon has just started: the second time it is compiled.
        compare(servers, out, task, loop, "");
        compare(servers, out, task, loop, ", once more");
        loop.stop();
      }
      task.awaitApplied();
      Digest.requireEqual("the resync", task.source(), task.target(), List.of(BigTable.NAME));
      out.println("tables equal");
    }
  }

  private void compare(
      ServerPair servers, PrintStream out, SluiceTask task, OpenLoop loop, String which)
      throws Exception {
    task.awaitApplied();
    differ(task);
    Usage usage = new Usage(servers, CpuTime.ofTree(task.daemon().pid()));
    if (task.command("resync", "public." + BigTable.NAME, "--delete-extra") != 0) {
      throw new IllegalStateException("the resync of the table failed: " + task.printed());
    }
    out.println(usage.line("`sluice resync` of the table" + which, task));
    loop.requireHealthy();
    task.awaitApplied();
    usage = new Usage(servers, CpuTime.ofTree(task.daemon().pid()));
    task.command("reload", "public." + BigTable.NAME);
    await(task, "SELECT count(*) FROM sluice_control.sluice_suspended_tables", "0");
    out.println(usage.line("`sluice reload`" + which, task));
  }

  /** What has been used since it was made. */
  private static final class Usage {
    private final ServerPair servers;
    private final double daemon;
    private final double source;
    private final double target;
    private final long bytes = loopbackBytes();
    private final long begun = System.nanoTime();

    /**
     * @param daemon CPU seconds that the daemon has used
     */
    Usage(ServerPair servers, double daemon) throws IOException {
      this.servers = servers;
      this.daemon = daemon;
      this.source = servers.sourceCpu();
      this.target = servers.targetCpu();
    }

    String line(String name, SluiceTask task) throws IOException {
      double seconds = (System.nanoTime() - begun) / 1e9;
      double daemonNow = CpuTime.ofTree(task.daemon().pid());
      return String.format(
          Locale.ROOT,
          "| %s | %.1f | %,.0f | %.1f, %.1f, %.1f |",
          name,
          seconds,
          (loopbackBytes() - bytes) / 1e6,
          servers.sourceCpu() - source,
          servers.targetCpu() - target,
          daemonNow - daemon);
    }
  }

  /** A third of the rows each is changed, deleted and invented on the target. */
  private void differ(SluiceTask task) throws Exception {
    int third = Math.max(1, rows / 3000);
    task.target()
        .execute(
            "UPDATE %s SET note = 'wrong' WHERE id IN (SELECT 1 + g * 3000 FROM generate_series(0, %d) g)"
                .formatted(BigTable.NAME, third - 1),
            "DELETE FROM %s WHERE id IN (SELECT 2 + g * 3000 FROM generate_series(0, %d) g)"
                .formatted(BigTable.NAME, third - 1),
            "INSERT INTO %s SELECT 100000000 + g, 0, now(), 'extra' FROM generate_series(1, %d) g"
                .formatted(BigTable.NAME, third));
  }

  private void diverge(SluiceTask task) throws Exception {
    differ(task);
    try (Connection connection = task.source().connect()) {
      String slot =
          Database.single(
              connection,
              "SELECT slot_name FROM pg_replication_slots WHERE database = current_database()");
      ServerPair.dropSlot(task.source(), slot);
    }
  }

  private static void await(SluiceTask task, String query, String wanted) throws Exception {
    task.daemon().await(query, LIMIT, () -> task.onTarget(query).equals(wanted));
  }

  /**
   * All that was sent over the loopback interface, by whomever; 0 where the system does not say.
   */
  private static long loopbackBytes() throws IOException {
    Path devices = Path.of("/proc/net/dev");
    if (!Files.exists(devices)) {
      return 0;
    }
    return Files.readAllLines(devices).stream()
        .map(String::strip)
        .filter(device -> device.startsWith("lo:"))
        .mapToLong(device -> Long.parseLong(device.substring(3).strip().split("\\s+")[0]))
        .findFirst()
        .orElse(0);
  }
}
