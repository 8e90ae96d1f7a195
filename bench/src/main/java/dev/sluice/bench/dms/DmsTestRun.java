package dev.sluice.bench.dms;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.bench.peer.SluiceDaemon;
import dev.sluice.bench.run.Arguments;
import dev.sluice.bench.run.LatencyCourse;
import dev.sluice.bench.server.CpuTime;
import dev.sluice.bench.server.Database;
import dev.sluice.bench.server.ServerPair;
import dev.sluice.bench.workload.Digest;
import dev.sluice.bench.workload.Heartbeats;
import dev.sluice.bench.workload.Tpcc;
import dev.sluice.bench.workload.TpccConnections;
import java.io.PrintStream;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Runs one test: its databases, daemons and three phases. Owned by the benchmark's thread. */
public final class DmsTestRun {
  private static final int[] CONNECTIONS = {1, 10, 25};
  private static final Duration START_LIMIT = Duration.ofMinutes(10);

  /** Not a second: windows of one second would be seen at the same age each time. */
  private static final long SAMPLE_MILLIS = 700;

  private final DmsTest test;
  private final ServerPair servers;
  private final Arguments arguments;
  private final PrintStream out;
  private final int tasks;
  private final LatencyCourse course = new LatencyCourse();
  private final long begin = System.nanoTime();

  public DmsTestRun(DmsTest test, ServerPair servers, Arguments arguments, PrintStream out) {
    this.test = test;
    this.servers = servers;
    this.arguments = arguments;
    this.out = out;
    this.tasks = test.sets().size();
  }

  public DmsOutcome run() throws Exception {
    Database source = ServerPair.copy(servers.source("tpcc"), "source_" + test.name());
    Database target = ServerPair.copy(servers.target("tpcc"), "target_" + test.name());
    Heartbeats.createTables(source, tasks);
    Heartbeats.createTables(target, tasks);
    List<SluiceDaemon> daemons = new ArrayList<>();
    DmsOutcome outcome;
    try {
      for (int task = 0; task < tasks; task++) {
        daemons.add(start(source, target, task));
      }
      for (SluiceDaemon daemon : daemons) {
        daemon.awaitReplicating(START_LIMIT);
      }
      outcome = follow(source, target, daemons);
    } finally {
      daemons.forEach(SluiceDaemon::close);
    }
    for (int task = 0; task < tasks; task++) {
      ServerPair.dropSlot(source, slot(task));
    }
    ServerPair.drop(source);
    ServerPair.drop(target);
    out.println(outcome.verdict());
    return outcome;
  }

  private SluiceDaemon start(Database source, Database target, int task) throws Exception {
    List<String> tables =
        Stream.concat(test.sets().get(task).stream(), Stream.of(Heartbeats.table(task))).toList();
    source.execute("CREATE PUBLICATION " + slot(task) + " FOR TABLE " + String.join(", ", tables));
    ServerPair.createSlot(source, slot(task));
    return SluiceDaemon.start(
        servers.newFolder(slot(task)),
        new SluiceDaemon.Task(
            test.name() + "-" + task,
            source,
            target,
            slot(task),
            slot(task),
            tables,
            test.settings(),
            List.of("-Xmx" + arguments.count("heap") / tasks + "m")));
  }

  private DmsOutcome follow(Database source, Database target, List<SluiceDaemon> daemons)
      throws Exception {
    Duration time = Duration.ofMillis(Math.round(arguments.number("seconds") * 1000));
    List<PhaseOutcome> phases = new ArrayList<>();
    double ended;
    try (Heartbeats heartbeats = Heartbeats.start(source, tasks);
        Connection connection = target.connect()) {
      awaitFirstHeartbeat(connection, daemons);
      double daemonCpu = cpu(daemons);
      double targetCpu = servers.targetCpu();
      for (int connections : CONNECTIONS) {
        double from = now();
        TpccConnections working =
            TpccConnections.start(source, connections, time, arguments.count("rate"));
        while (working.isRunning()) {
          sample(connection, daemons, heartbeats);
        }
        double to = now();
        LatencyCourse during = course.between(from, to);
        PhaseOutcome phase =
            new PhaseOutcome(
                connections, to - from, working.transactions(), during, during.captured());
        phases.add(phase);
        out.println(phase.row(test));
        double rest = arguments.number("pause");
        while (connections != CONNECTIONS[CONNECTIONS.length - 1] && now() < to + rest) {
          sample(connection, daemons, heartbeats);
        }
      }
      ended = now();
      while (Heartbeats.age(connection, tasks) > now() - ended) {
        sample(connection, daemons, heartbeats);
        if (now() - ended > arguments.count("limit")) {
          throw new IllegalStateException(
              test.name()
                  + ": the backlog is not drained after "
                  + Math.round(now() - ended)
                  + " s");
        }
      }
      double drained = now() - ended;
      daemonCpu = cpu(daemons) - daemonCpu;
      targetCpu = servers.targetCpu() - targetCpu;
      heartbeats.stop();
      awaitLastHeartbeat(source, target, daemons);
      List<String> tables =
          Stream.concat(Tpcc.TABLES.stream(), Heartbeats.tables(tasks).stream()).toList();
      Digest.requireEqual("Sluice", source, target, tables);
      return new DmsOutcome(test, course, phases, daemonCpu, targetCpu, drained);
    }
  }

  /** Until then the age of the heartbeats is that of the databases. */
  private void awaitFirstHeartbeat(Connection target, List<SluiceDaemon> daemons) throws Exception {
    double from = now();
    for (SluiceDaemon daemon : daemons) {
      daemon.await(
          "the first heartbeat to be on the target",
          START_LIMIT,
          () -> Heartbeats.age(target, tasks) < now() - from);
    }
  }

  private void awaitLastHeartbeat(Database source, Database target, List<SluiceDaemon> daemons)
      throws Exception {
    String last = Digest.of(source, Heartbeats.tables(tasks));
    for (SluiceDaemon daemon : daemons) {
      daemon.await(
          "the last heartbeat to be on the target",
          START_LIMIT,
          () -> Digest.of(target, Heartbeats.tables(tasks)).equals(last));
    }
  }

  private static double cpu(List<SluiceDaemon> daemons) {
    return daemons.stream().mapToDouble(daemon -> CpuTime.ofTree(daemon.pid())).sum();
  }

  /** Takes one sample, after a while. */
  private void sample(Connection target, List<SluiceDaemon> daemons, Heartbeats heartbeats)
      throws Exception {
    Thread.sleep(SAMPLE_MILLIS);
    heartbeats.requireHealthy();
    double behind = 0;
    long captured = 0;
    long applied = 0;
    for (SluiceDaemon daemon : daemons) {
      Optional<JsonNode> page = daemon.status();
      if (page.isEmpty()) {
        return;
      }
      behind = Math.max(behind, page.get().at("/latency/source_seconds").asDouble());
      captured += page.get().at("/source/changes").asLong();
      applied += page.get().at("/target/changes").asLong();
    }
    course.add(
        new LatencyCourse.Sample(now(), behind, Heartbeats.age(target, tasks), captured, applied));
  }

  private String slot(int task) {
    return test.name() + "_" + task;
  }

  private double now() {
    return (System.nanoTime() - begin) / 1e9;
  }
}
