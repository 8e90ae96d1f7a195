package dev.sluice.sink.window;

import dev.sluice.connector.api.Position;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.lane.TableFilter;
import dev.sluice.sink.window.policy.CloseReason;
import dev.sluice.sink.window.policy.WindowTuning;
import java.time.Instant;
import java.util.function.Supplier;

/**
 * A window that takes no more: whole source transactions, to be applied in one target transaction.
 * Immutable, handed from the intake thread to the apply thread.
 *
 * @param reason why it was closed
 * @param start where the journal was before its first transaction: it is applied only where the
 *     checkpoint stands exactly there
 * @param place where the journal is after its last transaction, which becomes the checkpoint's; a
 *     reader that begins there notices a hole right after it
 * @param lastCommit when the source committed its last transaction
 * @param transactions source transactions in it
 * @param changes row changes in it, before compaction
 * @param filter which changes of its transactions are in it
 * @param captured what the source did in it; complete once its rounds were gone through
 * @param tuning what it is applied with
 * @param rounds opens its rounds from the beginning; can be called again when it is applied again
 */
public record ClosedWindow(
    CloseReason reason,
    JournalOffset start,
    JournalOffset place,
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
