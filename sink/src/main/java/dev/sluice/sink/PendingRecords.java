package dev.sluice.sink;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.ChangeProcessingTuning;
import dev.sluice.config.settings.DataSize;
import dev.sluice.config.settings.SluiceSettings;
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
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;

/**
 * Turns journal records into committed transactions. Holds the records of one poll at most, and the
 * open transaction in the sorter. Owned by the intake thread.
 */
final class PendingRecords {
  private final ArrayDeque<JournalEntry> pending = new ArrayDeque<>();
  private final Intake intake;
  private final MemoryBudget openMemory;
  private final SwapSpace swap;
  private final Sorter sorter;

  /** Intake's result for the first pending record, kept if the sorter had no room for it. */
  private IntakeResult firstResult;

  private boolean firstResultIsAdded;

  PendingRecords(
      SinkSettings settings, Lane lane, JournalOffset start, SchemaLookup schemas, SwapDisk disk) {
    this.intake = new Intake(start);
    this.openMemory = new MemoryBudget("MemoryLimitTotal", settings.effectiveMemoryLimitTotal());
    this.swap =
        new SwapSpace(settings.swapDirectory(), settings.get(SluiceSettings.SWAP_LIMIT), disk);
    this.sorter =
        new Sorter(
            openMemory, settings.get(ChangeProcessingTuning.MEMORY_KEEP_TIME), swap, schemas, lane);
  }

  void adopt(SinkSettings settings) {
    openMemory.limit(settings.effectiveMemoryLimitTotal());
    sorter.keepTime(settings.get(ChangeProcessingTuning.MEMORY_KEEP_TIME));
    swap.limit(settings.get(SluiceSettings.SWAP_LIMIT));
  }

  void accept(List<JournalEntry> records) {
    pending.addAll(records);
  }

  boolean isEmpty() {
    return pending.isEmpty();
  }

  /**
   * Fails if the journal lacks records. To be called when all records of the journal were taken:
   * later records of the same term do not fill a hole.
   *
   * @throws SluiceException.Retryable if records are missing, which a newer term may write again
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

  /**
   * True if everything up to the position was taken. The position need not be the end of a
   * transaction.
   */
  boolean hasTaken(Position position) {
    return firstResult == null && !position.isAfter(intake.last());
  }

  /**
   * Takes the next record.
   *
   * @return the transaction that the record completes, to be released by the caller; null if it
   *     completes none
   * @throws SwapFullException if there is no room for it; the record stays the next one
   */
  CommittedTransaction next(Instant now) throws SwapFullException {
    JournalEntry first = pending.peekFirst();
    if (firstResult == null) {
      firstResult = intake.take(first);
    }
    CommittedTransaction ended = sort(firstResult, first.value(), now);
    firstResult = null;
    firstResultIsAdded = false;
    pending.removeFirst();
    return ended;
  }

  /** Moves the open transaction to swap if it is older than MemoryKeepTime. */
  void spillIfDue(Instant now) throws SwapFullException {
    sorter.spillIfDue(now);
  }

  /** Frees what the transaction holds; its changes must not be read any more. */
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
   * A snapshot of what intake holds.
   *
   * @param swapFull why intake waits for swap space; empty if it does not wait
   * @param memory heap bytes held by windows
   * @param changes changes held by windows
   */
  IntakeProgress progress(String swapFull, long memory, long changes, Duration filling) {
    return new IntakeProgress(
        swapFull,
        DataSize.ofBytes(openMemory.used() + memory),
        DataSize.ofBytes(swap.bytes()),
        swap.files(),
        sorter.spilled(),
        filling,
        sorter.openChanges() + changes);
  }

  /** Discards everything that is held. The journal still has it. */
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
      if (!firstResultIsAdded) {
        add(whole.record(), whole.first(), value, now);
        firstResultIsAdded = true;
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
