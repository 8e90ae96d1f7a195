package dev.sluice.bench.peer;

import dev.sluice.bench.run.Contender;
import dev.sluice.bench.run.Measurement;
import dev.sluice.bench.server.CpuTime;
import dev.sluice.bench.server.Database;
import dev.sluice.bench.server.ServerPair;
import dev.sluice.bench.workload.Backlog;
import java.io.IOException;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.sink.SinkTask;

/**
 * The peer: Debezium's JDBC sink, one task in this process. It gets the records of Debezium's
 * PostgreSQL connector from memory in large polls, without broker, fetch and converter, so it is
 * faster than in a deployment. Measured from the first {@code put} to the return of the last, with
 * CPU seconds of the target's server and of this process.
 */
public final class JdbcSink implements Contender {
  /** Kept by the contenders that take the same records. */
  public static final class Records {
    private CapturedRecords captured;

    private void fill(Database source, Backlog backlog, Duration limit) throws Exception {
      if (captured == null) {
        captured = CapturedRecords.of(source, backlog, limit);
      }
    }
  }

  private final ServerPair servers;
  private final Records records;
  private final boolean arrays;
  private final int batch;
  private final int poll;
  private final Duration limit;

  /**
   * @param records shared by the contenders of one backlog
   * @param arrays whether inserts and upserts carry arrays: by UNNEST, or into MariaDB by the bulk
   *     protocol of its driver
   * @param batch {@code batch.size}, rows of one table
   * @param poll records of all tables given at once
   * @param limit of one run, and of capturing the records
   */
  public JdbcSink(
      ServerPair servers, Records records, boolean arrays, int batch, int poll, Duration limit) {
    this.servers = servers;
    this.records = records;
    this.arrays = arrays;
    this.batch = batch;
    this.poll = poll;
    this.limit = limit;
  }

  /** Of the connector, as it names it itself. */
  public static String version() throws ReflectiveOperationException, IOException {
    return JdbcSinkPlugin.task().version();
  }

  @Override
  public String name() {
    return "Debezium's JDBC sink"
        + (arrays ? servers.target("").isMariadb() ? ", bulk protocol" : ", UNNEST" : "");
  }

  @Override
  public List<String> slots(int runs) {
    return List.of(CapturedRecords.SLOT);
  }

  @Override
  public void prepare(Database source, Backlog backlog) throws Exception {
    records.fill(source, backlog, limit);
  }

  @Override
  public Measurement drain(Database source, Database target, Backlog backlog, int run)
      throws Exception {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(JdbcSinkPlugin.loader());
    SinkTask task = JdbcSinkPlugin.task();
    try {
      task.start(settings(target));
      double targetBefore = servers.targetCpu();
      double ownBefore = CpuTime.ofThisProcess();
      long start = System.nanoTime();
      putAll(task, start);
      Duration wall = Duration.ofNanos(System.nanoTime() - start);
      double ofTarget = servers.targetCpu() - targetBefore;
      double cpu = ofTarget + CpuTime.ofThisProcess() - ownBefore;
      try (Connection connection = target.connect()) {
        if (!Backlog.hasArrived(connection)) {
          throw new IllegalStateException(name() + " took all records and left some out");
        }
      }
      return new Measurement(backlog.changes(), wall, cpu, ofTarget);
    } finally {
      task.stop();
      thread.setContextClassLoader(before);
    }
  }

  private void putAll(SinkTask task, long start) {
    List<SinkRecord> all = records.captured.records();
    for (int next = 0; next < all.size(); next += poll) {
      task.put(all.subList(next, Math.min(all.size(), next + poll)));
      if (System.nanoTime() - start > limit.toNanos()) {
        throw new IllegalStateException(
            String.format(
                Locale.ROOT,
                "%s took %,d of %,d records in %d s",
                name(),
                next,
                all.size(),
                limit.toSeconds()));
      }
    }
  }

  private Map<String, String> settings(Database target) {
    Map<String, String> settings = JdbcSinkSettings.of(target, batch, arrays);
    settings.put("name", "bench-jdbc-sink");
    return settings;
  }
}
