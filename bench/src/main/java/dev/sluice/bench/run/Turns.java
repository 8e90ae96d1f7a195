package dev.sluice.bench.run;

import dev.sluice.bench.server.Database;
import dev.sluice.bench.server.ServerPair;
import dev.sluice.bench.workload.Backlog;
import dev.sluice.bench.workload.Digest;
import dev.sluice.bench.workload.TableOnMariadb;
import java.io.IOException;
import java.io.PrintStream;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Runs contenders by turns, so that a change of the machine's speed affects all of them. Each
 * applies the same backlog to a new target, and its tables are compared after each run. Owned by
 * the benchmark's thread.
 */
public final class Turns {
  private final ServerPair servers;
  private final Backlog backlog;
  private final int runs;
  private final PrintStream out;

  public Turns(ServerPair servers, Backlog backlog, int runs, PrintStream out) {
    this.servers = servers;
    this.backlog = backlog;
    this.runs = runs;
    this.out = out;
  }

  /**
   * Makes source, slots and backlog, lets each contender drain it {@code runs} times, and drops
   * what it made. Closes the contenders.
   *
   * @throws IllegalStateException where one leaves other rows than the source has
   */
  public List<Result> run(List<Contender> contenders) throws Exception {
    String name = backlog.shape().name().replace('-', '_');
    Database source = servers.source("source_" + name);
    Database template = servers.target("template_" + name);
    Set<String> slots = new LinkedHashSet<>();
    List<Result> results = new ArrayList<>();
    try {
      prepare(source, template);
      for (Contender contender : contenders) {
        slots.addAll(contender.slots(runs));
        results.add(new Result(contender.name(), new ArrayList<>()));
      }
      for (String slot : slots) {
        ServerPair.createSlot(source, slot);
      }
      write(source);
      for (Contender contender : contenders) {
        contender.prepare(source, backlog);
      }
      for (int run = 1; run <= runs; run++) {
        for (int i = 0; i < contenders.size(); i++) {
          results.get(i).runs().add(drain(contenders.get(i), source, template, run));
        }
      }
    } finally {
      contenders.forEach(Contender::close);
    }
    for (String slot : slots) {
      ServerPair.dropSlot(source, slot);
    }
    ServerPair.drop(source);
    ServerPair.drop(template);
    return results;
  }

  private void prepare(Database source, Database template) throws SQLException, IOException {
    backlog.createTables(ServerPair.create(source));
    backlog.publish(source);
    ServerPair.create(template);
    if (template.isMariadb()) {
      TableOnMariadb.createAndFill(source, template, backlog.tables());
    } else {
      backlog.createTables(template);
    }
  }

  private void write(Database source) throws SQLException, InterruptedException {
    long start = System.nanoTime();
    backlog.write(source);
    print("backlog of %,d changes written in %.1f s", backlog.changes(), secondsSince(start));
  }

  private Measurement drain(Contender contender, Database source, Database template, int run)
      throws Exception {
    Database target = ServerPair.copy(template, "target_" + run);
    Measurement measurement = contender.drain(source, target, backlog, run);
    Digest.requireEqual(contender.name(), source, target, backlog.shape().tables());
    ServerPair.drop(target);
    print(
        "run %d: %s: %,.0f rows/s, %.1f s, %.1f CPU s, the target's %.1f; %d tables equal",
        run,
        contender.name(),
        measurement.changesPerSecond(),
        measurement.wall().toMillis() / 1e3,
        measurement.cpuSeconds(),
        measurement.targetCpuSeconds(),
        backlog.shape().tables().size());
    return measurement;
  }

  private void print(String format, Object... values) {
    out.println(String.format(Locale.ROOT, format, values));
  }

  private static double secondsSince(long start) {
    return (System.nanoTime() - start) / 1e9;
  }
}
