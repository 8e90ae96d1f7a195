package dev.sluice.bench.stage;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/**
 * CPU seconds of the whole path, stage by stage: of the daemon by its threads, of both servers by
 * their processes. Taken from the proc file system, so that nothing in the daemon has to count.
 * Immutable.
 */
public final class StageAccount {
  private final Map<Stage, Double> seconds;

  private StageAccount(Map<Stage, Double> seconds) {
    this.seconds = seconds;
  }

  /** What the servers with these process ids have used before a daemon is started. */
  public static StageAccount beforeDaemon(long source, long target) {
    return new StageAccount(ofServers(source, target));
  }

  /** What was used up to now, by the daemon and by the servers with these process ids. */
  public static StageAccount now(long daemon, long source, long target) {
    Map<Stage, Double> seconds = ofServers(source, target);
    double ofThreads = 0;
    for (ProcessorTime thread : ProcessorTime.ofThreads(daemon)) {
      seconds.merge(Stage.ofThread(thread.name()), thread.seconds(), Double::sum);
      ofThreads += thread.seconds();
    }
    double ended = Math.max(0, ProcessorTime.of(daemon) - ofThreads);
    seconds.merge(Stage.REST_OF_DAEMON, ended, Double::sum);
    return new StageAccount(seconds);
  }

  private static Map<Stage, Double> ofServers(long source, long target) {
    Map<Stage, Double> seconds = new EnumMap<>(Stage.class);
    for (Stage stage : Stage.values()) {
      seconds.put(stage, 0.0);
    }
    for (ProcessorTime process : ProcessorTime.ofServer(source)) {
      seconds.merge(Stage.ofSourceProcess(process.name()), process.seconds(), Double::sum);
    }
    for (ProcessorTime process : ProcessorTime.ofServer(target)) {
      seconds.merge(Stage.ofTargetProcess(process.name()), process.seconds(), Double::sum);
    }
    return seconds;
  }

  /** What was used since then. A process that has ended meanwhile counts in its server's rest. */
  public StageAccount since(StageAccount before) {
    Map<Stage, Double> used = new EnumMap<>(Stage.class);
    seconds.forEach((stage, now) -> used.put(stage, now - before.seconds.get(stage)));
    return new StageAccount(used);
  }

  /** A table of CPU seconds per million changes. */
  public String table(long changes) {
    StringBuilder table = new StringBuilder("| stage | CPU s per million |\n| --- | --- |\n");
    double total = 0;
    for (var entry : seconds.entrySet()) {
      double perMillion = entry.getValue() * 1e6 / changes;
      total += perMillion;
      table.append(
          String.format(Locale.ROOT, "| %s | %.2f |%n", entry.getKey().title(), perMillion));
    }
    return table.append(String.format(Locale.ROOT, "| all | %.2f |%n", total)).toString();
  }
}
