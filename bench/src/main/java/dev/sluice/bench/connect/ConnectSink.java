package dev.sluice.bench.connect;

import dev.sluice.bench.run.Contender;
import dev.sluice.bench.run.Measurement;
import dev.sluice.bench.server.Database;
import dev.sluice.bench.workload.Backlog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A contender: a sink connector in a real worker, reading filled topics. Measured from the request
 * that creates it to the commit of the last offset, with CPU seconds of the worker, of Kafka and of
 * the target's server.
 */
public final class ConnectSink implements Contender {
  private static int connectors;

  private final ConnectBench bench;
  private final SourceTopics topics;
  private final SinkKind kind;
  private final int poll;
  private final Duration limit;
  private final List<ProcessCosts> costs = new ArrayList<>();

  /**
   * @param topics shared by the contenders that read the same ones; filled by the first of them
   * @param poll maximum number of records passed to the sink at once
   * @param limit of one run, and of filling the topics
   */
  public ConnectSink(
      ConnectBench bench, SourceTopics topics, SinkKind kind, int poll, Duration limit) {
    this.bench = bench;
    this.topics = topics;
    this.kind = kind;
    this.poll = poll;
    this.limit = limit;
  }

  @Override
  public String name() {
    return kind.name();
  }

  @Override
  public List<String> slots(int runs) {
    return List.of(topics.slot());
  }

  @Override
  public void prepare(Database source, Backlog backlog) throws Exception {
    if (!topics.isFilled()) {
      topics.fill(source, backlog.changes(), limit);
    }
  }

  @Override
  public Measurement drain(Database source, Database target, Backlog backlog, int run)
      throws Exception {
    ProcessCosts before = bench.costs();
    long start = System.nanoTime();
    try (RunningSink sink =
        RunningSink.start(
            bench, "sink-" + ++connectors, kind, topics, kind.topics(topics), target, poll)) {
      Optional<String> failure = sink.awaitEnd(limit);
      Duration wall = Duration.ofNanos(System.nanoTime() - start);
      if (failure.isPresent()) {
        throw new IllegalStateException(name() + " failed: " + failure.get());
      }
      ProcessCosts cost = bench.costs().since(before);
      costs.add(cost);
      return new Measurement(backlog.changes(), wall, cost.all(), cost.target());
    }
  }

  /** Of each run so far, in their order. */
  public List<ProcessCosts> costs() {
    return List.copyOf(costs);
  }
}
