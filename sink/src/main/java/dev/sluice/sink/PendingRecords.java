package dev.sluice.sink;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.DataSize;
import dev.sluice.connector.api.JournalRecord;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.SchemaLookup;
import dev.sluice.sink.intake.Intake;
import dev.sluice.sink.intake.IntakeResult;
import dev.sluice.sink.intake.IntakeResult.Dropped;
import dev.sluice.sink.intake.IntakeResult.Part;
import dev.sluice.sink.intake.IntakeResult.Whole;
import dev.sluice.sink.intake.JournalEntry;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.lane.Lane;
import dev.sluice.sink.progress.IntakeProgress;
import dev.sluice.sink.sorter.CommittedTransaction;
import dev.sluice.sink.sorter.MemoryBudget;
import dev.sluice.sink.sorter.Sorter;
import dev.sluice.sink.sorter.SwapDisk;
import dev.sluice.sink.sorter.SwapFullException;
import dev.sluice.sink.sorter.SwapSpace;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;

/**
 * From journal records to committed transactions: what was given and is not taken yet, one poll at
 * most, and the open transactions in the sorter. Owned by the intake thread.
 */
final class PendingRecords {
  private final ArrayDeque<JournalEntry> pending = new ArrayDeque<>();
  private final Intake intake;
  private final MemoryBudget openMemory;
  private final SwapSpace swap;
  private final Sorter sorter;

  /** What intake said of the first pending record, where the sorter had no room for it. */
  private IntakeResult judged;

  private boolean judgedIsAdded;

  PendingRecords(
      SinkSettings settings, Lane lane, JournalOffset start, SchemaLookup schemas, SwapDisk disk) {
    this.intake = new Intake(start);
    this.openMemory = new MemoryBudget("MemoryLimitTotal", settings.effectiveMemoryLimitTotal());
    this.swap = new SwapSpace(settings.swapDirectory(), settings.swapLimit(), disk);
    this.sorter = new Sorter(openMemory, settings.tuning().memoryKeepTime(), swap, schemas, lane);
  }

  void adopt(SinkSettings settings) {
    openMemory.limit(settings.effectiveMemoryLimitTotal());
    sorter.keepTime(settings.tuning().memoryKeepTime());
    swap.limit(settings.swapLimit());
  }

  void give(List<JournalEntry> records) {
    pending.addAll(records);
  }

  boolean isEmpty() {
    return pending.isEmpty();
  }

  /**
   * To be called where everything that the journal has was taken: who comes later fills no hole.
   *
   * @throws SluiceException.Retryable where the journal lacks something, which a newer term brings
   *     again
   */
  void requireNoHole() {
    Optional<String> hole = intake.hole();
    if (hole.isPresent()) {
      throw new SluiceException.Retryable(
          "the journal lacks records: "
              + hole.get()
              + ". A new start of the capture brings them again, where the source's log still has"
              + " them",
          null);
    }
  }

  /** Whether everything up to the position, which may lie anywhere, has been taken. */
  boolean hasTaken(Position position) {
    return judged == null && !position.isAfter(intake.last());
  }

  /**
   * Takes the next record.
   *
   * @return the transaction that it ends, to be released; null where it ends none
   * @throws SwapFullException where there is no room for it; it is the next one then as before
   */
  CommittedTransaction next(Instant now) throws SwapFullException {
    JournalEntry first = pending.peekFirst();
    if (judged == null) {
      judged = intake.take(first);
    }
    CommittedTransaction ended = sort(judged, first.value(), now);
    judged = null;
    judgedIsAdded = false;
    pending.removeFirst();
    return ended;
  }

  /** Moves what is open for too long out of memory. */
  void spillWhereDue(Instant now) throws SwapFullException {
    sorter.spillWhereDue(now);
  }

  /** Nobody reads the transaction any more. */
  void release(CommittedTransaction transaction) {
    sorter.release(transaction);
  }

  String whySwapIsFull(SwapFullException full) {
    return sorter.whySwapIsFull(full);
  }

  DataSize memoryLimit() {
    return openMemory.limit();
  }

  /**
   * How far it is.
   *
   * @param swapFull why intake waits; empty where it does not
   * @param memory bytes that are held elsewhere
   * @param changes that are held elsewhere
   */
  IntakeProgress progress(String swapFull, long memory, long changes) {
    return new IntakeProgress(
        swapFull,
        DataSize.ofBytes(openMemory.used() + memory),
        DataSize.ofBytes(swap.bytes()),
        swap.files(),
        sorter.spilled(),
        sorter.openChanges() + changes);
  }

  /** Forgets everything; it stays in the journal. */
  void discard() {
    sorter.discard();
    pending.clear();
    swap.discard();
  }

  private CommittedTransaction sort(IntakeResult result, byte[] value, Instant now)
      throws SwapFullException {
    if (result instanceof Part part) {
      add(part.record(), part.first(), value, now);
    } else if (result instanceof Whole whole) {
      if (!judgedIsAdded) {
        add(whole.record(), whole.first(), value, now);
        judgedIsAdded = true;
      }
      return sorter.commit(whole.record(), whole.end(), whole.nextOffset());
    } else if (result instanceof Dropped dropped && dropped.discardsOpen()) {
      sorter.discard();
    }
    return null;
  }

  private void add(JournalRecord record, boolean first, byte[] value, Instant now)
      throws SwapFullException {
    if (first) {
      sorter.discard();
    }
    sorter.add(record, value, now);
  }
}
