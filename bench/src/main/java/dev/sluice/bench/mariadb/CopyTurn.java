package dev.sluice.bench.mariadb;

import dev.sluice.bench.peer.SluiceDaemon;
import dev.sluice.bench.run.Measurement;
import dev.sluice.bench.server.CpuTime;
import dev.sluice.bench.server.Database;
import dev.sluice.bench.server.ServerPair;
import dev.sluice.embedded.mariadb.EmbeddedServer;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.DoubleSupplier;

/**
 * What one turn measures: tables of MariaDB or MySQL are copied in each way, and a backlog follows
 * what Sluice has loaded. Owned by the benchmark's thread.
 *
 * @param number of the turn, which names its databases
 */
public record CopyTurn(ServerPair servers, EmbeddedServer source, SourceWorkload rows, int number) {
  private static final Duration LIMIT = Duration.ofMinutes(30);
  private static final List<String> OPTIONS = List.of("-Xmx2g");

  /** Into a target that the changes can go on with. */
  public Measurement load(Database target) throws Exception {
    return measure("loaded", target, this::sluiceLoad, () -> 0);
  }

  private void sluiceLoad(Database target) throws Exception {
    MariadbTask task = new MariadbTask(source, rows.database(), target, Optional.empty());
    try (SluiceDaemon daemon = SluiceDaemon.start(servers.newFolder("load"), task, OPTIONS)) {
      daemon.awaitEnd(LIMIT);
    }
  }

  public Measurement pgLoader() throws Exception {
    return measureApart(
        "pgloaded", target -> PgLoader.copy(source, rows.database(), target), () -> 0);
  }

  public Measurement dumpedFiles(WrittenRows tables) throws Exception {
    Path folder = servers.newFolder("files");
    return measureApart(
        "dumped",
        target -> DumpedFiles.copy(source, tables, target, folder),
        CpuTime::ofThisProcess);
  }

  /** One way to copy the tables. */
  private interface Copy {
    void into(Database target) throws Exception;
  }

  /** Into a database of its own. */
  private Measurement measureApart(String name, Copy copy, DoubleSupplier own) throws Exception {
    Database target = ServerPair.create(servers.target(name + number));
    Measurement measured = measure(name, target, copy, own);
    ServerPair.drop(target);
    return measured;
  }

  /**
   * @param own processor time of this process that counts as well
   */
  private Measurement measure(String name, Database target, Copy copy, DoubleSupplier own)
      throws Exception {
    double before = cpu() + own.getAsDouble();
    double targetBefore = servers.targetCpu();
    long start = System.nanoTime();
    copy.into(target);
    Duration wall = Duration.ofNanos(System.nanoTime() - start);
    Measurement measured =
        new Measurement(
            rows.count(),
            wall,
            cpu() + own.getAsDouble() - before,
            servers.targetCpu() - targetBefore);
    rows.requireEqual(name, target);
    return measured;
  }

  /** Of both servers, and of programs that have ended. */
  private double cpu() {
    return CpuTime.ofTree(source.pid()) + servers.targetCpu() + CpuTime.ofEndedChildren();
  }

  /**
   * @param target has all rows
   */
  public Measurement changes(Database target, int transactions) throws Exception {
    String from = rows.endOfLog();
    long changes = rows.write(transactions);
    double before = CpuTime.ofTree(source.pid()) + servers.targetCpu();
    double targetBefore = servers.targetCpu();
    long start = System.nanoTime();
    MariadbTask task = new MariadbTask(source, rows.database(), target, Optional.of(from));
    Measurement measured;
    try (SluiceDaemon daemon = SluiceDaemon.start(servers.newFolder("changes"), task, OPTIONS);
        Connection original = source.connect();
        Connection copy = target.connect()) {
      daemon.await("the end of the backlog to come", LIMIT, () -> rows.hasArrived(original, copy));
      Duration wall = Duration.ofNanos(System.nanoTime() - start);
      double cpu =
          CpuTime.ofTree(source.pid()) + servers.targetCpu() + CpuTime.ofTree(daemon.pid());
      measured = new Measurement(changes, wall, cpu - before, servers.targetCpu() - targetBefore);
    }
    rows.requireEqual("changes", target);
    return measured;
  }
}
