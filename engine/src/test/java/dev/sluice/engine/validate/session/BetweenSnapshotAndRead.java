package dev.sluice.engine.validate.session;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import java.util.List;
import java.util.Optional;

/** Does something once, when both snapshots are taken and a table is not read yet. */
final class BetweenSnapshotAndRead implements JournalKeys {
  private final JournalKeys journal;
  private final TableId before;
  private final Action action;
  private boolean done;

  interface Action {
    void run() throws Exception;
  }

  BetweenSnapshotAndRead(JournalKeys journal, TableId before, Action action) {
    this.journal = journal;
    this.before = before;
    this.action = action;
  }

  @Override
  public Optional<String> obstacle(String visibleTransactions) {
    return journal.obstacle(visibleTransactions);
  }

  @Override
  public LeftOut notShown(
      TableId table, List<String> key, String visibleTransactions, Position upTo) {
    if (!done && table.equals(before)) {
      done = true;
      try {
        action.run();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
    return journal.notShown(table, key, visibleTransactions, upTo);
  }

  @Override
  public Optional<String> voidedAfter(TableId table, Position after) {
    return journal.voidedAfter(table, after);
  }

  @Override
  public void shown(String visibleTransactions) {
    journal.shown(visibleTransactions);
  }
}
