package dev.sluice.connector.debezium;

import dev.sluice.config.DataSize;
import dev.sluice.config.SluiceException;
import dev.sluice.connector.api.Capture;
import dev.sluice.connector.api.JournalTopics;
import dev.sluice.connector.api.Position;
import io.debezium.embedded.Connect;
import io.debezium.engine.DebeziumEngine;
import io.debezium.engine.DebeziumEngine.RecordCommitter;
import io.debezium.engine.RecordChangeEvent;
import io.debezium.engine.format.ChangeEventFormat;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.apache.kafka.connect.source.SourceRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs Debezium's embedded engine and publishes what it delivers. Any failure, of the engine, of a
 * record or of a send, ends both engine and publisher; a new term is a new object. Only the end of
 * an acknowledged transaction, or an acknowledged progress message of our own, is ever told to
 * Debezium, so that the slot moves to such positions only.
 */
public final class DebeziumCapture implements Capture {
  private static final Logger LOG = LoggerFactory.getLogger(DebeziumCapture.class);

  private static final long CLOSE_RETRY_MILLIS = 20;

  private final Publisher<RecordChangeEvent<SourceRecord>> publisher;
  private final EventMapper mapper;
  private final DebeziumEngine<RecordChangeEvent<SourceRecord>> engine;
  private final Function<Throwable, SluiceException> classifier;
  private final Thread thread;
  private final AtomicReference<SluiceException> failure = new AtomicReference<>();
  private volatile boolean closing;

  /**
   * Starts at once.
   *
   * @param engineProperties what the connector needs; those that the journal's promises rest on are
   *     set here
   * @param classifier decides what a failure of the source means
   * @throws SluiceException where the journal does not take the term's first record
   */
  public DebeziumCapture(
      Request request,
      Properties engineProperties,
      SourceTables tables,
      Function<Throwable, SluiceException> classifier) {
    Properties properties = EngineProperties.complete(request.task(), engineProperties);
    this.classifier = classifier;
    this.mapper =
        new EventMapper(
            properties.getProperty("topic.prefix"), MessagePrefixes.ofTask(request.task()), tables);
    this.publisher =
        new Publisher<>(
            request.producerProperties(),
            request.topics(),
            request.term(),
            request.start(),
            request.maxValueSize());
    this.engine =
        DebeziumEngine.create(ChangeEventFormat.of(Connect.class))
            .using(properties)
            .using(this::engineEnded)
            .notifying(this::publish)
            .build();
    this.thread = new Thread(engine, "sluice-capture-" + request.task());
    this.publisher.failure().thenAccept(this::endFromProducerThread);
    thread.start();
  }

  @Override
  public CaptureProgress progress() {
    return publisher.progress();
  }

  @Override
  public Optional<SluiceException> failure() {
    return Optional.ofNullable(failure.get());
  }

  @Override
  public void close() {
    closing = true;
    stopEngine();
    publisher.close();
  }

  private void publish(
      List<RecordChangeEvent<SourceRecord>> records,
      RecordCommitter<RecordChangeEvent<SourceRecord>> committer)
      throws InterruptedException {
    if (closing || failure.get() != null) {
      return;
    }
    try {
      for (RecordChangeEvent<SourceRecord> record : records) {
        for (SourceEvent event : mapper.map(record.record())) {
          publish(event, record);
        }
      }
      // Debezium decodes on meanwhile, and comes here again only with a next batch, if ever.
      publisher.awaitAcknowledged();
    } catch (RuntimeException e) {
      fail(e);
      throw e;
    }
    Optional<RecordChangeEvent<SourceRecord>> acknowledged = publisher.takeAcknowledged();
    if (acknowledged.isPresent()) {
      committer.markProcessed(acknowledged.get());
      committer.markBatchFinished();
    }
  }

  private void publish(SourceEvent event, RecordChangeEvent<SourceRecord> record) {
    if (event instanceof SourceEvent.Changed changed) {
      publisher.change(changed.change());
    } else if (event instanceof SourceEvent.Committed committed) {
      publisher.commit(committed.position(), committed.commitMicros(), record);
    } else if (event instanceof SourceEvent.Progressed progressed) {
      publisher.progress(progressed.position(), progressed.sourceMicros(), record);
    }
  }

  private void engineEnded(boolean success, String message, Throwable error) {
    if (closing) {
      return;
    }
    if (error != null) {
      fail(error);
    } else {
      fail(new SluiceException.Retryable("the capture ended by itself: " + message, null));
    }
  }

  private void endFromProducerThread(SluiceException failed) {
    fail(failed);
    new Thread(this::stopEngine, thread.getName() + "-end").start();
  }

  private void fail(Throwable error) {
    SluiceException classified =
        error instanceof SluiceException known ? known : classifier.apply(error);
    if (!closing && failure.compareAndSet(null, classified)) {
      LOG.error("the capture ends: {}", classified.getMessage());
    }
  }

  /** An engine that is still starting refuses to be closed: it is asked again. */
  private void stopEngine() {
    while (thread.isAlive()) {
      try {
        engine.close();
        thread.join();
      } catch (IllegalStateException stillStarting) {
        if (!sleep()) {
          return;
        }
      } catch (IOException e) {
        LOG.warn("the capture's engine does not close cleanly: {}", e.getMessage());
        return;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  private boolean sleep() {
    try {
      thread.join(CLOSE_RETRY_MILLIS);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /**
   * What one run of a capture is to do.
   *
   * @param term the epoch it claimed
   * @param start the slot's confirmed position
   * @param maxValueSize the largest change that is taken
   */
  public record Request(
      String task,
      long term,
      Position start,
      Map<String, Object> producerProperties,
      JournalTopics topics,
      DataSize maxValueSize) {}
}
