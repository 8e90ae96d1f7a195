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
 * Combines consecutive events into changes: the two events of a key change, and the tables of one
 * TRUNCATE. Owned by the task's thread.
 */
final class EventFolding {
  private final Consumer<ChangeEvent> changes;
  private final List<Emptied> truncated = new ArrayList<>();
  private long truncateLsn;

  /** The first event of a key change; the next event must be the second one. */
  private RowEvent leaving;

  EventFolding(Consumer<ChangeEvent> changes) {
    this.changes = changes;
  }

  /**
   * Takes the next event.
   *
   * @param place for messages
   * @throws SluiceException.Fatal if a row needs values from the missing event of its key change
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
              "a row of %s got a new key, but the event that deletes its old key is missing. Only that"
                      .formatted(event.schema().table())
                  + " event has the large values that did not change",
              "both events of the change, one after the other",
              "Filter no events between Debezium and this connector. If the two events are in"
                  + " different partitions, run on the source: ALTER TABLE %s REPLICA IDENTITY FULL"
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

  /** True if the first event of a key change is held until the next event. */
  boolean isHolding() {
    return leaving != null || !truncated.isEmpty();
  }

  /** Emits the held events: no event follows that might belong to them. */
  void flush() {
    flushLeaving();
    flushTruncate();
  }

  /** Discards the held events: their transaction was interrupted. */
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

  /** Emits the tables of one TRUNCATE together, as foreign keys between them require. */
  private void flushTruncate() {
    if (!truncated.isEmpty()) {
      changes.accept(new Truncate(truncated));
      truncated.clear();
    }
  }
}
