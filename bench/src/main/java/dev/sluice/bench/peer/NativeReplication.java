package dev.sluice.bench.peer;

import dev.sluice.bench.run.Contender;
import dev.sluice.bench.run.Measurement;
import dev.sluice.bench.server.Database;
import dev.sluice.bench.server.ServerPair;
import dev.sluice.bench.server.Waiting;
import dev.sluice.bench.workload.Backlog;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The peer: PostgreSQL's own logical replication, from ENABLE to the last row visible on the
 * target. CPU seconds of both servers.
 */
public final class NativeReplication implements Contender {
  private final ServerPair servers;
  private final Duration limit;

  /**
   * @param limit of one run
   */
  public NativeReplication(ServerPair servers, Duration limit) {
    this.servers = servers;
    this.limit = limit;
  }

  @Override
  public String name() {
    return "PostgreSQL's logical replication";
  }

  @Override
  public List<String> slots(int runs) {
    return IntStream.rangeClosed(1, runs).mapToObj(NativeReplication::slot).toList();
  }

  @Override
  public Measurement drain(Database source, Database target, Backlog backlog, int run)
      throws SQLException, InterruptedException {
    try (Subscription subscription =
            Subscription.create(source, target, slot(run), Backlog.PUBLICATION);
        Connection connection = target.connect()) {
      double sourceBefore = servers.sourceCpu();
      double targetBefore = servers.targetCpu();
      long start = System.nanoTime();
      subscription.enable();
      Waiting.until(
          "the end of the backlog to come through " + name(),
          limit,
          () -> {
            subscription.requireHealthy();
            return Backlog.hasArrived(connection);
          });
      Duration wall = Duration.ofNanos(System.nanoTime() - start);
      // Read before the subscription ends: its processes are the servers' children until then.
      double ofSource = servers.sourceCpu() - sourceBefore;
      double ofTarget = servers.targetCpu() - targetBefore;
      return new Measurement(backlog.changes(), wall, ofSource + ofTarget, ofTarget);
    }
  }

  private static String slot(int run) {
    return "native_" + run;
  }
}
