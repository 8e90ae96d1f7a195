package dev.sluice.engine.validate.session;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import java.util.List;
import java.util.Optional;

/** No transaction is known, so no row is skipped. Stateless. */
final class NoJournal implements JournalKeys {
  @Override
  public Optional<String> obstacle(String visibleTransactions) {
    return Optional.empty();
  }

  @Override
  public LeftOut notShown(
      TableId table, List<String> key, String visibleTransactions, Position upTo) {
    return new Keys(List.of());
  }

  /** The sides compare file nodes and columns with those of their snapshots themselves. */
  @Override
  public Optional<String> voidedAfter(TableId table, Position after) {
    return Optional.empty();
  }

  @Override
  public boolean isComplete() {
    return false;
  }

  @Override
  public void shown(String visibleTransactions) {
    // Nothing is kept.
  }
}
