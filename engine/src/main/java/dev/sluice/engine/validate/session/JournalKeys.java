package dev.sluice.engine.validate.session;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.comparison.RowKey;
import java.util.List;
import java.util.Optional;

/**
 * What a session needs to know about the transactions in the journal. Visible transactions are the
 * source's text form, as {@link dev.sluice.connector.api.comparison.SourceView} has it. Threadsafe.
 */
public interface JournalKeys {

  /**
   * Why no session may begin yet with a snapshot; empty if one may: every transaction that it does
   * not show, and that is or will be applied, is known with its keys.
   */
  Optional<String> obstacle(String visibleTransactions);

  /**
   * The keys of a table that transactions at or below a position changed and that a snapshot does
   * not show: old and new ones.
   *
   * @param key the order of the values
   * @param upTo {@link Position#MAX} for all that may be applied by now
   */
  LeftOut notShown(TableId table, List<String> key, String visibleTransactions, Position upTo);

  /**
   * Why the table's rows under the snapshots are not what they were: it was truncated, altered,
   * attached or detached by a transaction of the journal after the position; empty if not.
   */
  Optional<String> voidedAfter(TableId table, Position after);

  /** Whether all changes that the target gets are known. */
  default boolean isComplete() {
    return true;
  }

  /**
   * Called when a session has ended: later snapshots show the same transactions as its snapshot,
   * and more.
   */
  void shown(String visibleTransactions);

  /** The keys that both sides skip, or why they cannot be skipped. Immutable. */
  sealed interface LeftOut {}

  /**
   * @param keys old and new keys, possibly repeated
   */
  record Keys(List<RowKey> keys) implements LeftOut {
    public Keys {
      keys = List.copyOf(keys);
    }
  }

  /**
   * The table cannot be compared under these snapshots.
   *
   * @param why for messages
   */
  record Unknown(String why) implements LeftOut {}
}
