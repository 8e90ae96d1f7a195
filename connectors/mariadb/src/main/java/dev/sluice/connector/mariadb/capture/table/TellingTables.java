package dev.sluice.connector.mariadb.capture.table;

import dev.sluice.config.TableId;
import dev.sluice.connector.mariadb.capture.position.BinlogPosition;
import dev.sluice.connector.mariadb.capture.statement.Renaming;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * The tables of which MySQL's log shows whether a statement created them: those of InnoDB.
 * Immutable.
 *
 * @param until the end of the log when the server was asked; empty if it was not
 */
public record TellingTables(Set<TableId> tables, Optional<BinlogPosition> until) {
  static final TellingTables NONE = new TellingTables(Set.of(), Optional.empty());

  public TellingTables {
    tables = Set.copyOf(tables);
  }

  /** The tables after a renaming. */
  TellingTables renamed(Renaming renaming) {
    Set<TableId> now = new HashSet<>(tables);
    now.remove(renaming.to());
    if (now.remove(renaming.from())) {
      now.add(renaming.to());
    }
    return new TellingTables(now, until);
  }
}
