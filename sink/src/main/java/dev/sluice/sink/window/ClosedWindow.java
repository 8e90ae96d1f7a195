package dev.sluice.sink.window;

import dev.sluice.connector.api.Position;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.lane.TableFilter;
import dev.sluice.sink.window.policy.CloseReason;
import dev.sluice.sink.window.policy.WindowTuning;
import java.time.Instant;
import java.util.function.Supplier;

/**
 * A window that takes no more: complete source transactions that are applied in one target
 * transaction. Immutable; passed from the intake thread to the apply thread.
 *
 * @param reason why it was closed
 * @param start the journal offset before its first transaction: the window is applied only if the
 *     checkpoint is exactly there
 * @param place the journal offset after its last transaction, which becomes the checkpoint; a
 *     reader that starts there detects a hole right after it
 * @param firstCommit when the source committed its first transaction with changes; if it has none,
 *     the last transaction
 * @param lastCommit when the source committed its last transaction
 * @param transactions number of source transactions
 * @param changes number of row changes, before compaction
 * @param filter selects the changes of its transactions
 * @param captured supplies the counts of the source's changes; complete after all rounds were read
 * @param tuning the settings it is applied with
 * @param rounds opens its rounds from the first one; called again if the window is retried
 */
public record ClosedWindow(
    CloseReason reason,
    JournalOffset start,
    JournalOffset place,
    Instant firstCommit,
    Instant lastCommit,
    long transactions,
    long changes,
    TableFilter filter,
    Supplier<CapturedChanges> captured,
    WindowTuning tuning,
    Supplier<Rounds> rounds) {

  /** The position of its last transaction. */
  public Position position() {
    return place.position();
  }
}
