package dev.sluice.engine.validate.repair;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.engine.validate.session.JournalKeys;
import java.util.List;
import java.util.Optional;

/** A journal in which nothing happens, but for what a test says. */
final class RepairJournal implements JournalKeys {
  /** What somebody does. */
  interface Action {
    void run() throws Exception;
  }

  /** Between the session that reads the rows and the transaction that repairs them. */
  Action afterSession = () -> {};

  List<RowKey> changedSince = List.of();
  Optional<String> voided = Optional.empty();
  private boolean sessionEnded;

  @Override
  public Optional<String> obstacle(String visibleTransactions) {
    return Optional.empty();
  }

  @Override
  public LeftOut notShown(
      TableId table, List<String> key, String visibleTransactions, Position upTo) {
    return new Keys(sessionEnded ? changedSince : List.of());
  }

  @Override
  public Optional<String> voidedAfter(TableId table, Position after) {
    return voided;
  }

  @Override
  public void shown(String visibleTransactions) {
    sessionEnded = true;
    run(afterSession);
  }

  static void run(Action action) {
    try {
      action.run();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
