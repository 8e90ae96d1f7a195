package dev.sluice.engine.daemon;

import dev.sluice.connector.api.source.SourceProbe;
import dev.sluice.connector.journal.Journal;
import dev.sluice.engine.context.EndpointState;
import dev.sluice.engine.context.PeriodicTask;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.journal.JournalBroker;
import dev.sluice.engine.status.TaskStatus;
import dev.sluice.sink.target.TargetProbe;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks every 5 seconds whether source, target and the Kafka that the task has answer. Each has
 * its own thread, since a check of one that is down may take long. The result may be read by any
 * thread.
 */
final class EndpointWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(EndpointWatch.class);

  private static final Duration INTERVAL = Duration.ofSeconds(5);

  private final Clock clock;
  private final List<Watched> endpoints = new ArrayList<>();

  private EndpointWatch(Clock clock) {
    this.clock = clock;
  }

  /** Starts the checks. */
  static EndpointWatch start(TaskContext context, JournalBroker kafka, Clock clock) {
    EndpointWatch watch = new EndpointWatch(clock);
    SourceProbe source = context.source().probe();
    TargetProbe target = new TargetProbe(context.target());
    watch.endpoints.add(watch.new Watched("source", source::requireAnswer, source));
    watch.endpoints.add(watch.new Watched("target", target::requireAnswer, target));
    if (kafka.isThere()) {
      Journal journal = new Journal(kafka.client(), context.topics());
      watch.endpoints.add(watch.new Watched("kafka", journal::endOffset, journal));
    }
    watch.endpoints.forEach(endpoint -> endpoint.polling.start());
    return watch;
  }

  /** The result of the last checks. */
  List<TaskStatus.Endpoint> seen() {
    return endpoints.stream().map(endpoint -> endpoint.state.at(clock.instant())).toList();
  }

  @Override
  public void close() {
    endpoints.forEach(Watched::close);
  }

  private final class Watched {
    private final PeriodicTask polling;
    private final AutoCloseable probe;
    private volatile EndpointState state;

    Watched(String name, Runnable question, AutoCloseable probe) {
      this.probe = probe;
      this.state = EndpointState.unknown(name);
      this.polling =
          new PeriodicTask(
              "sluice-watch-" + name,
              INTERVAL,
              () -> {
                question.run();
                state = state.answered(clock.instant());
              },
              // The part that uses the server logs the failure.
              failure -> state = state.failed(failure.getMessage()));
    }

    void close() {
      polling.close();
      try {
        probe.close();
      } catch (Exception e) {
        LOG.debug("a session is not closed: {}", e.toString());
      }
    }
  }
}
