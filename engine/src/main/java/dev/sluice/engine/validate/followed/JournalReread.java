package dev.sluice.engine.validate.followed;

import dev.sluice.config.MonotonicClock;
import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.retry.Retries;
import dev.sluice.config.retry.RetryPolicy;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.lane.TableFilter;
import dev.sluice.sink.replay.ChangeReplay;
import dev.sluice.sink.replay.PositionedChange;
import dev.sluice.sink.touched.EarlierKeys;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.errors.InterruptException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the keys of a part of the journal again, in its own thread and while the lanes run. It
 * changes nothing on the target. Any thread may read its outcome; the keys belong to the caller
 * once it has ended.
 */
final class JournalReread implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(JournalReread.class);

  private static final Duration PAUSE = Duration.ofSeconds(2);
  private static final RetryPolicy AGAIN = new RetryPolicy(4, PAUSE, false, PAUSE, false);

  private final ChangeReplay journal;
  private final JournalOffset from;
  private final Position upTo;
  private final Set<TableId> tables;
  private final EarlierKeys keys;
  private final Thread thread = new Thread(this::run, "sluice-validation-reread");

  private volatile boolean closing;
  private volatile Outcome outcome;

  /**
   * How it has ended.
   *
   * @param failure why not all keys were read; empty if all were
   */
  record Outcome(Optional<String> failure) {}

  /**
   * @param upTo the position of the last transaction to be read
   * @param keys receives the keys
   */
  JournalReread(
      ChangeReplay journal,
      JournalOffset from,
      Position upTo,
      Set<TableId> tables,
      EarlierKeys keys) {
    this.journal = journal;
    this.from = from;
    this.upTo = upTo;
    this.tables = Set.copyOf(tables);
    this.keys = keys;
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  /** Empty while it runs. */
  Optional<Outcome> outcome() {
    return Optional.ofNullable(outcome);
  }

  JournalOffset from() {
    return from;
  }

  EarlierKeys keys() {
    return keys;
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
  }

  private void run() {
    Optional<String> failure = Optional.of("it was ended");
    try {
      failure = readWithRetries();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (InterruptException e) {
      // Kafka's own interrupt, thrown while a read waits.
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      LOG.error("BUG: the journal was not read again", e);
      failure = Optional.of(e.toString());
    } finally {
      outcome = new Outcome(failure);
    }
  }

  private Optional<String> readWithRetries() throws InterruptedException {
    Retries retries = new Retries(AGAIN, new MonotonicClock());
    while (true) {
      try {
        read();
        return closing ? Optional.of("it was ended") : Optional.empty();
      } catch (SluiceException e) {
        if (isGone(e)) {
          return Optional.of(
              "the journal does not have the changes from offset %d on any more"
                  .formatted(from.nextOffset()));
        }
        if (closing || !(e instanceof SluiceException.Retryable) || retries.failed().isEmpty()) {
          return Optional.of(String.valueOf(e.getMessage()));
        }
        LOG.info(
            "the journal is read again once more in {} s: {}", PAUSE.toSeconds(), e.getMessage());
      }
      retries.await();
    }
  }

  private static boolean isGone(Throwable error) {
    for (Throwable each = error; each != null; each = each.getCause()) {
      if (each instanceof OffsetOutOfRangeException) {
        return true;
      }
    }
    return false;
  }

  private void read() {
    if (!upTo.isAfter(from.position())) {
      return;
    }
    try (ChangeReplay.Changes changes = journal.open(from, upTo, TableFilter.only(tables))) {
      PositionedChange change = changes.next();
      while (change != null && !closing) {
        keys.add(change.transaction().position(), change.event());
        change = changes.next();
      }
    }
  }
}
