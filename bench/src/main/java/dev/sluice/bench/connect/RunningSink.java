package dev.sluice.bench.connect;

import dev.sluice.bench.server.Database;
import dev.sluice.bench.server.Waiting;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * A sink connector at work on filled topics, until it is closed. It is done when its group has
 * committed the end of every partition: each of the sinks commits only what is on the target. Owned
 * by the benchmark's thread.
 */
final class RunningSink implements AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private final ConnectBench bench;
  private final String name;
  private final Database target;
  private final Map<TopicPartition, Long> ends;

  private RunningSink(
      ConnectBench bench, String name, Database target, Map<TopicPartition, Long> ends) {
    this.bench = bench;
    this.name = name;
    this.target = target;
    this.ends = ends;
  }

  /**
   * Makes the connector.
   *
   * @param name that no connector has had before, since its group and checkpoint are kept
   */
  static RunningSink start(
      ConnectBench bench,
      String name,
      SinkKind kind,
      SourceTopics source,
      List<String> topics,
      Database target,
      int poll)
      throws SQLException, InterruptedException {
    Map<TopicPartition, Long> ends = source.ends(topics);
    ends.values().removeIf(end -> end == 0);
    RunningSink sink = new RunningSink(bench, name, target, ends);
    bench
        .worker()
        .make(name, kind.properties(source, topics, target, bench.bootstrapServers(), poll));
    return sink;
  }

  /**
   * Waits until everything is on the target.
   *
   * @return why the connector has failed instead; empty where it is done
   */
  Optional<String> awaitEnd(Duration limit) throws SQLException, InterruptedException {
    String[] failure = {null};
    Waiting.until(
        name + " to be done",
        limit,
        () -> {
          if (isDone()) {
            return true;
          }
          failure[0] = bench.worker().failure(name).orElse(null);
          return failure[0] != null;
        });
    return Optional.ofNullable(failure[0]);
  }

  private boolean isDone() throws InterruptedException {
    try {
      String group = "connect-" + name;
      Map<TopicPartition, OffsetAndMetadata> committed =
          bench.admin().listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get();
      return ends.entrySet().stream()
          .allMatch(
              end -> {
                OffsetAndMetadata offset = committed.get(end.getKey());
                return offset != null && offset.offset() >= end.getValue();
              });
    } catch (ExecutionException e) {
      // The group is not there yet.
      return false;
    }
  }

  /** Deletes the connector, and waits until it has no connection to the target. */
  @Override
  public void close() throws SQLException {
    try {
      end();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private void end() throws SQLException, InterruptedException {
    bench.worker().delete(name);
    try (Connection connection = target.sibling("postgres").connect()) {
      Waiting.until(
          name + " to let go of its target",
          TIMEOUT,
          () ->
              Database.single(
                      connection,
                      "SELECT count(*) FROM pg_stat_activity WHERE datname = '"
                          + target.name()
                          + "'")
                  .equals("0"));
    }
  }
}
