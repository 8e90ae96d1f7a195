package dev.sluice.connect.input;

import dev.sluice.connect.settings.RetainedSpace;
import dev.sluice.sink.intake.JournalEntry;
import dev.sluice.sink.replay.JournalRecords;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The journal entries that an input makes of a connector's records: collected, given to the
 * pipeline, and retained until they are on the target for good. Owned by the task's thread; what is
 * retained is read by the apply thread.
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

  /** Of those that were not given out yet. */
  long bytes() {
    return bytes;
  }

  /** Gives out what was added since the last call; retained from now on. */
  List<JournalEntry> take() {
    List<JournalEntry> entries = made;
    made = new ArrayList<>();
    bytes = 0;
    retained.add(entries);
    return entries;
  }

  /** Why nothing more is to be given out at present; empty where there is room. */
  Optional<String> full() {
    return retained.full();
  }

  /** Forgets what nobody asks for any more. */
  void forgetBefore(long offset) {
    retained.forgetBefore(offset);
  }

  /** What was given out, from an offset on that was not forgotten. */
  JournalRecords again() {
    return retained;
  }

  @Override
  public void close() {
    retained.close();
  }
}
