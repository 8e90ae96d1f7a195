package dev.sluice.connector.debezium;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Capture;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.CaptureRequest;
import dev.sluice.connector.journal.CaptureFailure;
import dev.sluice.connector.journal.EventBatch;
import dev.sluice.connector.journal.EventQueue;
import dev.sluice.connector.journal.Publisher;
import dev.sluice.connector.journal.SourceEvent;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs Debezium's task and publishes the decoded events on a thread of its own. Any failure of the
 * task, an event or a send ends both task and publisher; a new term is a new object. Only positions
 * of acknowledged transactions and of acknowledged progress messages are confirmed to the source,
 * so the slot advances to these positions only.
 */
public final class DebeziumCapture implements Capture {
  private static final Logger LOG = LoggerFactory.getLogger(DebeziumCapture.class);

  /** How often Kafka's acknowledgements are checked while the source is idle. */
  private static final Duration PAUSE = Duration.ofMillis(10);

  private final Publisher publisher;
  private final EventQueue events;
  private final LogReader reader;
  private final DebeziumTask run;
  private final Function<Throwable, SluiceException> classifier;
  private final Thread thread;
  private final CaptureFailure failure = new CaptureFailure(LOG);
  private volatile boolean closing;

  /**
   * Starts the capture.
   *
   * @param task its name
   * @param connectorProperties the connector's properties; those that the journal depends on are
   *     added here
   * @param events the queue of the reader's decoded events
   * @param classifier classifies failures of the source
   * @throws SluiceException if the term's first record cannot be written to the journal
   */
  public DebeziumCapture(
      String task,
      CaptureRequest request,
      Map<String, String> connectorProperties,
      LogReader reader,
      EventQueue events,
      Function<Throwable, SluiceException> classifier) {
    this.reader = reader;
    this.events = events;
    this.classifier = classifier;
    this.publisher = new Publisher(request);
    this.thread = new Thread(this::publish, "sluice-capture-" + task);
    this.run =
        new DebeziumTask(
            "sluice-debezium-" + task,
            reader,
            TaskProperties.complete(task, connectorProperties),
            this::taskEnded);
    thread.start();
  }

  @Override
  public CaptureProgress progress() {
    return publisher.progress();
  }

  @Override
  public Optional<SluiceException> failure() {
    return failure.get();
  }

  @Override
  public void close() {
    closing = true;
    events.close();
    thread.interrupt();
    run.close();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    publisher.close();
  }

  private void publish() {
    try {
      while (!closing && failure.get().isEmpty()) {
        Optional<EventBatch> batch = events.take(PAUSE);
        if (batch.isPresent()) {
          for (SourceEvent event : batch.get().events()) {
            publish(event);
          }
        }
        // Sends are pipelined: later answers are taken in the next round.
        Optional<Position> acknowledged = publisher.takeAcknowledged();
        if (acknowledged.isPresent()) {
          reader.acknowledge(acknowledged.get());
        }
      }
    } catch (InterruptedException e) {
      fail(new SluiceException.Retryable("the capture was interrupted", e));
    } catch (Throwable e) {
      // Errors too: if the thread ended silently, the task would wait forever.
      fail(e);
    }
    run.stop();
    events.close();
  }

  private void publish(SourceEvent event) {
    if (event instanceof SourceEvent.Changed changed) {
      publisher.change(changed.change());
    } else if (event instanceof SourceEvent.Committed committed) {
      publisher.commit(committed.position(), committed.commitMicros(), committed.transactionId());
    } else if (event instanceof SourceEvent.Progressed progressed) {
      publisher.progress(progressed.position(), progressed.sourceMicros());
    }
  }

  private void taskEnded(Throwable error) {
    fail(error);
    events.close();
  }

  private void fail(Throwable error) {
    if (!closing) {
      failure.set(error instanceof SluiceException known ? known : classifier.apply(error));
    }
  }
}
