package dev.sluice.connect.input;

import dev.sluice.connect.settings.RetainedSpace;
import dev.sluice.sink.intake.JournalEntry;
import dev.sluice.sink.replay.JournalRecords;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Collects the journal entries that an input creates from a connector's records, and retains them
 * until they are durable on the target. Owned by the task's thread; the apply thread reads retained
 * entries.
 */
final class MadeEntries implements AutoCloseable {
  private final RetainedEntries retained;
  private List<JournalEntry> made = new ArrayList<>();
  private long bytes;

  MadeEntries(RetainedSpace space) {
    this.retained = new RetainedEntries(space);
  }

  void add(JournalEntry entry) {
    made.add(entry);
    bytes += entry.value().length;
  }

  /** Size of the entries that were not returned yet, in bytes. */
  long bytes() {
    return bytes;
  }

  /** Returns the entries added since the last call; from now on they are retained. */
  List<JournalEntry> take() {
    List<JournalEntry> entries = made;
    made = new ArrayList<>();
    bytes = 0;
    retained.add(entries);
    return entries;
  }

  /** Why no more entries may be taken at present; empty if there is room. */
  Optional<String> full() {
    return retained.full();
  }

  /** Deletes the entries below the offset, which are not needed any more. */
  void forgetBefore(long offset) {
    retained.forgetBefore(offset);
  }

  /** The retained entries, to be read again from an offset on. */
  JournalRecords again() {
    return retained;
  }

  @Override
  public void close() {
    retained.close();
  }
}
