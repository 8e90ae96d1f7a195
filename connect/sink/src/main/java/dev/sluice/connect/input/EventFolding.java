package dev.sluice.connect.input;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connect.envelope.DebeziumRecord.KeyChange;
import dev.sluice.connect.envelope.DebeziumRecord.RowEvent;
import dev.sluice.connect.envelope.DebeziumRecord.Truncated;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.Emptied;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.ChangeEvent.Truncate;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Makes changes of events that follow each other: the two halves of a change of the key are one,
 * and so are the tables that one TRUNCATE emptied. Owned by the task's thread.
 */
final class EventFolding {
  private final Consumer<ChangeEvent> changes;
  private final List<Emptied> truncated = new ArrayList<>();
  private long truncateLsn;

  /** The first half of a change of the key, whose second one must be the next event. */
  private RowEvent leaving;

  EventFolding(Consumer<ChangeEvent> changes) {
    this.changes = changes;
  }

  /**
   * Takes the next event.
   *
   * @param place for messages
   * @throws SluiceException.Fatal where a row has values that only its lacking half would tell
   */
  void take(RowEvent event, String place) {
    flushTruncate();
    if (event.half() == KeyChange.NEW_KEY && leaving != null) {
      RowEvent old = leaving;
      if (old.lsn() == event.lsn() && old.schema().equals(event.schema())) {
        leaving = null;
        changes.accept(new RowChange(event.schema(), old.match(), event.row()));
        return;
      }
    }
    flushLeaving();
    if (event.half() == KeyChange.OLD_KEY) {
      leaving = event;
    } else if (event.half() == KeyChange.NEW_KEY && event.row().hasUnchanged()) {
      throw new SluiceException.Fatal(
          new Problem(
              place,
              "a row of %s came under a new key without the event of its old one, which alone tells"
                      .formatted(event.schema().table())
                  + " the large values that stayed as they were",
              "both halves of the change, one after the other",
              "Filter no events between Debezium and this connector. Where the halves are in"
                  + " several partitions, run on the source: ALTER TABLE %s REPLICA IDENTITY FULL"
                      .formatted(event.schema().table().quoted())));
    } else {
      changes.accept(new RowChange(event.schema(), event.match(), event.row()));
    }
  }

  void take(Truncated event) {
    flushLeaving();
    if (truncateLsn != event.lsn()) {
      flushTruncate();
    }
    truncateLsn = event.lsn();
    truncated.add(new Emptied(event.table(), null));
  }

  /** Whether a half is held back until the next event. */
  boolean isHolding() {
    return leaving != null || !truncated.isEmpty();
  }

  /** No event follows that might belong to the last one. */
  void flush() {
    flushLeaving();
    flushTruncate();
  }

  /** Forgets what is held back: its transaction broke off. */
  void clear() {
    leaving = null;
    truncated.clear();
  }

  private void flushLeaving() {
    if (leaving != null) {
      RowEvent old = leaving;
      leaving = null;
      changes.accept(new RowChange(old.schema(), old.match(), null));
    }
  }

  /** The tables of one statement are emptied together, as foreign keys between them want it. */
  private void flushTruncate() {
    if (!truncated.isEmpty()) {
      changes.accept(new Truncate(truncated));
      truncated.clear();
    }
  }
}
