package dev.sluice.sink.window;

import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.SchemaLookup;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.lane.ChangeObserver;
import dev.sluice.sink.sorter.CommittedTransaction;
import dev.sluice.sink.sorter.MemoryBudget;
import dev.sluice.sink.sorter.TransactionChanges;
import dev.sluice.sink.window.compaction.Round;
import dev.sluice.sink.window.compaction.RoundCutter;
import dev.sluice.sink.window.compaction.TableShares;
import dev.sluice.sink.window.policy.CloseReason;
import dev.sluice.sink.window.policy.WindowTimes;
import dev.sluice.sink.window.policy.WindowTuning;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/**
 * A window that is being filled. It decodes committed transactions, compacts them to net changes
 * and charges its memory budget. {@link #close} returns the {@link FilledWindow}. Owned by the
 * intake thread.
 *
 * <p>Uses memory up to the budget's limit; if the estimate of a transaction is too low, it exceeds
 * the limit by less than that transaction. A transaction that does not fit is not decoded here: it
 * becomes a window of its own, whose rounds are compacted one by one when they are applied.
 */
public final class OpenWindow {
  /** Upper estimate of a small change's heap bytes in addition to twice its journal bytes. */
  private static final int CHANGE_OVERHEAD = 320;

  private final SchemaLookup schemas;
  private final WindowTuning tuning;
  private final ChangeObserver.Factory observers;
  private JournalOffset start;
  private final MemoryBudget memory;
  private final TableShares shares;
  private final RoundCutter cutter;
  private final CapturedChangesBuilder captured = new CapturedChangesBuilder();
  private final List<Round> rounds = new ArrayList<>();

  private Instant openedAt;
  private Instant openedWith;
  private CommittedTransaction last;
  private CommittedTransaction large;
  private long transactions;
  private long transactionsWithChanges;
  private long netChangesEnded;
  private WindowTimes times;
  private int timedTables;

  /**
   * @param tuning the settings of this window until it is applied
   * @param start the journal offset before its first transaction
   */
  public OpenWindow(SchemaLookup schemas, WindowTuning tuning, JournalOffset start) {
    this(schemas, tuning, start, ChangeObserver.Factory.NONE);
  }

  /**
   * The same, observed.
   *
   * @param observers observe the transactions when they are decoded
   */
  public OpenWindow(
      SchemaLookup schemas,
      WindowTuning tuning,
      JournalOffset start,
      ChangeObserver.Factory observers) {
    this.schemas = schemas;
    this.tuning = tuning;
    this.observers = observers;
    this.start = start;
    this.memory = new MemoryBudget("BatchApplyMemoryLimit", tuning.memoryLimit());
    this.shares = new TableShares(tuning);
    this.cutter = new RoundCutter(tuning, () -> shares);
    this.times = tuning.times();
  }

  public WindowTuning tuning() {
    return tuning;
  }

  /**
   * The shortest times of the tables that have changes in it; the task's times if there are none.
   */
  public WindowTimes times() {
    if (captured.tables().size() != timedTables) {
      timedTables = captured.tables().size();
      times =
          captured.tables().stream()
              .map(tuning::times)
              .reduce(WindowTimes::shorter)
              .orElse(tuning.times());
    }
    return times;
  }

  /** True if its tables give it other times than it was opened with. */
  public boolean hasOwnTimes() {
    return !times().equals(tuning.times());
  }

  /** Source transactions with changes that were taken. */
  public long transactionsWithChanges() {
    return transactionsWithChanges;
  }

  /** True if it has taken no transaction, not even an empty one. */
  public boolean isEmpty() {
    return last == null;
  }

  /** When its first transaction with changes was taken; empty before. */
  public Optional<Instant> openedAt() {
    return Optional.ofNullable(openedAt);
  }

  /** Time between the source's commits of its first and its last transaction with changes. */
  public Duration span() {
    return openedAt == null ? Duration.ZERO : Duration.between(openedWith, last.end().commitTime());
  }

  /** The number of row changes taken, before compaction. */
  public long changes() {
    return large != null ? large.changesTaken() : captured.changes();
  }

  /** The number of net changes. */
  public long netChanges() {
    return large != null ? large.changesTaken() : netChangesEnded + cutter.netChanges();
  }

  /** The number of tables with changes; zero if the changes are not decoded here. */
  public int tables() {
    return captured.tables().size();
  }

  /** True if the window must be closed now: it has a fence or DDL. */
  public boolean hasBarrier() {
    // A transaction that the lanes waited for stays alone, even if its DDL is already in the loaded
    // tables.
    boolean metFor = last != null && last.altersTables() && last.filter().isAll();
    return captured.hasBarrier() || metFor;
  }

  /** True if it takes no further transaction. */
  public boolean isFull() {
    return large != null || memory.isExceeded() || shares.isReached();
  }

  public long memoryBytes() {
    return memory.used();
  }

  /** True if the transaction fits into the window; always true for the first one. */
  public boolean hasRoomFor(CommittedTransaction transaction) {
    if (openedAt == null) {
      return true;
    }
    return large == null && estimate(transaction) <= memory.left();
  }

  /**
   * Takes a committed transaction.
   *
   * @return true if the transaction is needed until the window is applied; otherwise it can be
   *     released
   */
  public boolean take(CommittedTransaction transaction, Instant now) {
    if (!hasRoomFor(transaction)) {
      throw new IllegalStateException(
          "BUG: a transaction of %d bytes given to a window with %s"
              .formatted(transaction.encodedBytes(), memory));
    }
    last = transaction;
    transactions++;
    if (transaction.changesTaken() == 0) {
      return false;
    }
    transactionsWithChanges++;
    boolean isLarge = openedAt == null && estimate(transaction) > memory.limit().bytes();
    if (openedAt == null) {
      openedAt = now;
      openedWith = transaction.end().commitTime();
    }
    if (isLarge) {
      observe(transaction);
      large = transaction;
      return true;
    }
    decode(transaction);
    return false;
  }

  /**
   * Moves the start behind a transaction that the main lane applied for all lanes; that also
   * advanced this lane's checkpoint. Must be called only while the window is empty.
   */
  public void pass(CommittedTransaction transaction) {
    last = transaction;
    start = transaction.place();
  }

  /** Closes the window, which must not be empty. */
  public FilledWindow close(CloseReason reason, Instant now) {
    if (isEmpty()) {
      throw new IllegalStateException("BUG: an empty window closed for " + reason);
    }
    return large != null ? closeLarge(reason, now) : closeCompacted(reason, now);
  }

  private Duration filling(Instant now) {
    return openedAt == null || now.isBefore(openedAt)
        ? Duration.ZERO
        : Duration.between(openedAt, now);
  }

  private long estimate(CommittedTransaction transaction) {
    return 2 * transaction.encodedBytes() + CHANGE_OVERHEAD * transaction.changesTaken();
  }

  private void decode(CommittedTransaction transaction) {
    try (TransactionChanges changes = transaction.changes(schemas, observers)) {
      long before = cutter.retainedBytes();
      for (ChangeEvent event = changes.next(); event != null; event = changes.next()) {
        captured.count(event);
        long netChanges = cutter.netChanges();
        long retained = cutter.retainedBytes();
        Round ended = cutter.add(event);
        if (ended != null) {
          rounds.add(ended);
          netChangesEnded += netChanges;
          memory.charge(retained - before);
          before = 0;
        }
      }
      memory.charge(cutter.retainedBytes() - before);
    }
  }

  /**
   * Decodes a large transaction for its observer only. Its rounds are compacted on the apply
   * thread, beside transactions that come later, perhaps only in part, and perhaps again.
   */
  private void observe(CommittedTransaction transaction) {
    if (observers == ChangeObserver.Factory.NONE) {
      return;
    }
    try (TransactionChanges changes = transaction.changes(schemas, observers)) {
      while (changes.next() != null) {}
    }
  }

  private FilledWindow closeCompacted(CloseReason reason, Instant now) {
    Round ended = cutter.finish();
    if (ended != null) {
      rounds.add(ended);
    }
    List<Round> all = List.copyOf(rounds);
    CapturedChanges counted = captured.build();
    return new FilledWindow(
        closed(reason, counted.changes(), () -> counted, () -> new CompactedRounds(all)),
        memory,
        filling(now),
        Optional.empty());
  }

  private FilledWindow closeLarge(CloseReason reason, Instant now) {
    CommittedTransaction transaction = large;
    AtomicReference<CapturedChanges> counted = new AtomicReference<>(CapturedChanges.NONE);
    return new FilledWindow(
        closed(
            reason,
            transaction.changesTaken(),
            counted::get,
            () -> new LargeRounds(transaction.changes(schemas), tuning, memory, counted::set)),
        memory,
        filling(now),
        Optional.of(transaction));
  }

  private ClosedWindow closed(
      CloseReason reason,
      long changes,
      Supplier<CapturedChanges> counted,
      Supplier<Rounds> opener) {
    return new ClosedWindow(
        reason,
        start,
        last.place(),
        openedAt == null ? last.end().commitTime() : openedWith,
        last.end().commitTime(),
        transactions,
        changes,
        last.filter(),
        counted,
        tuning,
        opener);
  }
}
