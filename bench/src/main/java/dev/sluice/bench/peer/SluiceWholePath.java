package dev.sluice.bench.peer;

import dev.sluice.bench.run.Contender;
import dev.sluice.bench.run.Measurement;
import dev.sluice.bench.server.CpuTime;
import dev.sluice.bench.server.Database;
import dev.sluice.bench.server.ServerPair;
import dev.sluice.bench.stage.StageAccount;
import dev.sluice.bench.workload.Backlog;
import java.io.PrintStream;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A contender: the complete path of capture, embedded Kafka and sink. Measured from the cold start
 * of the daemon's Java process to the last row visible on the target. CPU seconds of both servers
 * and of the daemon.
 */
public final class SluiceWholePath implements Contender {
  private final ServerPair servers;
  private final String settings;
  private final Duration limit;
  private final PrintStream out;

  /**
   * @param settings the task-settings
   * @param limit of one run
   * @param out receives the CPU times of each run, stage by stage
   */
  public SluiceWholePath(ServerPair servers, String settings, Duration limit, PrintStream out) {
    this.servers = servers;
    this.settings = settings;
    this.limit = limit;
    this.out = out;
  }

  @Override
  public String name() {
    return "Sluice, whole path";
  }

  @Override
  public List<String> slots(int runs) {
    return IntStream.rangeClosed(1, runs).mapToObj(SluiceWholePath::slot).toList();
  }

  @Override
  public Measurement drain(Database source, Database target, Backlog backlog, int run)
      throws Exception {
    SluiceDaemon.Task task =
        new SluiceDaemon.Task(
            "bench" + run,
            source,
            target,
            slot(run),
            Backlog.PUBLICATION,
            List.of("%"),
            settings,
            List.of("-Xmx2g"));
    StageAccount stagesBefore = StageAccount.beforeDaemon(servers.sourcePid(), servers.targetPid());
    double sourceBefore = servers.sourceCpu();
    double targetBefore = servers.targetCpu();
    long start = System.nanoTime();
    try (SluiceDaemon daemon =
            SluiceDaemon.start(servers.newFolder(backlog.shape().name() + "_" + run), task);
        Connection connection = target.connect()) {
      daemon.await(
          "the end of the backlog to come through " + name(),
          limit,
          () -> Backlog.hasArrived(connection));
      Duration wall = Duration.ofNanos(System.nanoTime() - start);
      double ofTarget = servers.targetCpu() - targetBefore;
      double cpu = servers.sourceCpu() - sourceBefore + ofTarget + CpuTime.ofTree(daemon.pid());
      out.println(
          StageAccount.now(daemon.pid(), servers.sourcePid(), servers.targetPid())
              .since(stagesBefore)
              .table(backlog.changes()));
      return new Measurement(backlog.changes(), wall, cpu, ofTarget);
    }
  }

  private static String slot(int run) {
    return "sluice_" + run;
  }
}
