package dev.sluice.connector.generic;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Capture;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.CaptureScope;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.connector.envelope.UnchangedValue;
import dev.sluice.connector.generic.config.ConnectorBeginning;
import dev.sluice.connector.generic.config.ConnectorProperties;
import dev.sluice.connector.generic.config.KnownConnector;
import dev.sluice.connector.generic.process.ConnectorFailures;
import dev.sluice.connector.generic.process.ConnectorFolder;
import dev.sluice.connector.generic.process.ConnectorTask;
import dev.sluice.connector.generic.record.Bookmark;
import dev.sluice.connector.generic.record.CapturedStream;
import dev.sluice.connector.generic.record.RecordChanges;
import dev.sluice.connector.generic.record.TransactionAssembler;
import dev.sluice.connector.generic.start.AttemptPosition;
import dev.sluice.connector.generic.start.JournaledStart;
import dev.sluice.connector.generic.start.StopSearch;
import dev.sluice.connector.journal.CaptureFailure;
import dev.sluice.connector.journal.Publisher;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.connect.source.SourceRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a Debezium connector and publishes complete transactions to the journal, each with the
 * bookmark from which the connector continues after it. Positions are numbers that this class gives
 * in the order of the stream. One thread polls, assembles and publishes.
 */
final class GenericCapture implements Capture {
  private static final Logger LOG = LoggerFactory.getLogger(GenericCapture.class);

  private final Publisher publisher;
  private final ConnectorTask task;
  private final TransactionAssembler assembler;
  private final Map<String, String> properties;
  private final Optional<Bookmark> start;
  private final Instant begun;
  private final StopSearch stopSearch;
  private final Runnable definitionsRead;
  private final Runnable closed;
  private final Thread thread;
  private final CaptureFailure failure = new CaptureFailure(LOG);

  /** The ends that Kafka has not acknowledged, in order. */
  private final ArrayDeque<SentEnd> sent = new ArrayDeque<>();

  private Position position;

  /** The bookmark at the position; empty before Debezium has an offset. */
  private Optional<Bookmark> journaled;

  /** True until the first record, before which a connector has read the definitions. */
  private boolean beginsAtPlace;

  private volatile boolean closing;

  /**
   * Starts a capture.
   *
   * @param setup of the task
   * @param start where the connector continues
   * @param publisher of the term that has begun; the capture closes it
   * @param closed called when the capture is closed
   * @throws SluiceException if the folder does not have the connector
   */
  GenericCapture(
      Setup setup, JournaledStart start, Publisher publisher, CaptureScope scope, Runnable closed) {
    this.closed = closed;
    this.begun = setup.begun();
    this.stopSearch = setup.stopSearch();
    this.definitionsRead = setup.definitionsRead();
    this.beginsAtPlace = start.isPlace();
    this.start = start.bookmark();
    this.journaled = this.start;
    this.position = start.position();
    this.publisher = publisher;
    String prefix = ConnectorProperties.topicPrefix(setup.task());
    this.properties =
        setup
            .properties()
            .complete(
                prefix,
                scope.tables().published().stream().map(CatalogTable::table).toList(),
                start.isPlace()
                    ? ConnectorBeginning.PLACE
                    : setup.loads() ? ConnectorBeginning.ROWS : ConnectorBeginning.NOW,
                setup.history());
    KnownConnector connector = setup.properties().connector();
    this.assembler =
        new TransactionAssembler(
            connector,
            prefix,
            new RecordChanges(
                scope.tables(),
                new UnchangedValue(properties.get("unavailable.value.placeholder"))),
            this.start,
            new Journaled());
    this.task = new ConnectorTask(setup.folder(), connector.className());
    this.thread = new Thread(this::run, "sluice-capture-" + setup.task());
    thread.start();
  }

  /**
   * The parameters of a task's captures.
   *
   * @param folder with the connector
   * @param loads whether a capture that begins captures existing rows
   * @param begun a time before a new capture reads rows
   * @param stopSearch gets the progress of the capture
   * @param definitionsRead called once a connector that begins at a place has read them; throws if
   *     they are not those of the start
   * @param history properties of the history of definitions
   */
  record Setup(
      String task,
      ConnectorFolder folder,
      ConnectorProperties properties,
      boolean loads,
      Instant begun,
      StopSearch stopSearch,
      Runnable definitionsRead,
      Map<String, String> history) {}

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
    thread.interrupt();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    publisher.close();
    closed.run();
  }

  private void run() {
    try {
      task.start(properties, start);
      while (!closing) {
        List<SourceRecord> records = task.poll();
        if (beginsAtPlace && !records.isEmpty()) {
          definitionsRead.run();
          beginsAtPlace = false;
        }
        for (SourceRecord record : records) {
          assembler.add(record);
        }
        if (stopSearch.isWaiting()) {
          assembler.settle();
          journaled.ifPresent(at -> stopSearch.sent(position, at));
        }
        Optional<Position> acknowledged = publisher.takeAcknowledged();
        if (acknowledged.isPresent()) {
          acknowledge(acknowledged.get());
        }
      }
    } catch (InterruptedException e) {
      fail(new SluiceException.Retryable("the capture was interrupted", e));
    } catch (Throwable e) {
      // Also errors: if the thread ended silently, the task would wait forever.
      fail(e);
    }
    task.close();
  }

  /** Lets the source release its log up to what Kafka has, and no further. */
  private void acknowledge(Position upTo) throws InterruptedException {
    SourceRecord last = null;
    while (!sent.isEmpty() && !sent.peek().position().isAfter(upTo)) {
      last = sent.poll().record();
    }
    if (last != null) {
      task.acknowledge(last);
    }
  }

  private void fail(Throwable error) {
    if (!closing) {
      failure.set(ConnectorFailures.classify(error));
    }
  }

  private record SentEnd(Position position, SourceRecord record) {}

  private final class Journaled implements CapturedStream {
    @Override
    public void change(ChangeEvent change) {
      publisher.change(change);
    }

    @Override
    public void end(Bookmark bookmark, long commitMicros, SourceRecord last) {
      // The rows of a snapshot have the time at which it began.
      long micros =
          AttemptPosition.isBeginning(position)
              ? ChronoUnit.MICROS.between(Instant.EPOCH, begun)
              : commitMicros;
      advance(bookmark);
      publisher.commit(position, micros, 0, bookmark.text());
      sent.add(new SentEnd(position, last));
    }

    @Override
    public void progress(Bookmark bookmark, long micros, SourceRecord last) {
      advance(bookmark);
      publisher.progress(position, micros, bookmark.text());
      sent.add(new SentEnd(position, last));
    }

    @Override
    public void begun(Bookmark begun) {
      stopSearch.begun(position, begun);
    }

    @Override
    public boolean asksForEachEnd() {
      return stopSearch.isWaiting();
    }

    /**
     * Called before the journal has the position, so that a stop at it is known before it is
     * acknowledged.
     */
    private void advance(Bookmark bookmark) {
      position = position.next();
      journaled = Optional.of(bookmark);
      stopSearch.sent(position, bookmark);
    }
  }
}
