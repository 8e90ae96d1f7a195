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

  /** While the lane is held. */
  Action whileHeld = () -> {};

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
    if (!sessionEnded) {
      return new Keys(List.of());
    }
    run(whileHeld);
    return new Keys(changedSince);
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

  private static void run(Action action) {
    try {
      action.run();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
