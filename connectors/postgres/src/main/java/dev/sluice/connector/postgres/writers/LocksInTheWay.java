package dev.sluice.connector.postgres.writers;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.source.TableLockHolder;
import dev.sluice.connector.postgres.activity.PostgresActivity;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Names who holds locks that keep writers from being stopped. Immutable, threadsafe. */
record LocksInTheWay(PostgresActivity activity) {
  private static final int SHOWN = 10;

  /** Of SELECT FOR UPDATE, and of what reads in serializable transactions. */
  private static final Set<String> COMPATIBLE = Set.of("RowShareLock", "SIReadLock");

  /** Those who hold them now, the oldest first; empty if nobody does. */
  Optional<String> of(List<TableId> tables) {
    List<String> holders = new ArrayList<>();
    for (TableLockHolder holder : activity.lockHolders(tables)) {
      if (!COMPATIBLE.containsAll(holder.modes())) {
        holders.add(holder.toString());
      }
    }
    activity.work(tables).forEach(work -> holders.add(work.kind() + " of " + work));
    if (holders.isEmpty()) {
      return Optional.empty();
    }
    int more = holders.size() - SHOWN;
    return Optional.of(
        String.join("; ", holders.subList(0, Math.min(SHOWN, holders.size())))
            + (more > 0 ? "; and " + more + " more" : ""));
  }
}
