package dev.sluice.connector.mariadb.capture;

import dev.sluice.config.TableId;
import dev.sluice.connector.mariadb.capture.StatementTables.Kind;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Names tables that get a name which the task selects, and that it does not replicate. Owned by the
 * thread that decodes the log.
 */
final class NewTables {
  private static final Logger LOG = LoggerFactory.getLogger(NewTables.class);

  private final Predicate<TableId> selected;
  private final Predicate<TableId> captured;
  private final Set<TableId> named = new HashSet<>();

  NewTables(Predicate<TableId> selected, Predicate<TableId> captured) {
    this.selected = selected;
    this.captured = captured;
  }

  /** Names nothing: what is read was read before. */
  static NewTables known() {
    return new NewTables(table -> false, table -> true);
  }

  /** Looks at a statement that did not fail. Names each table once. */
  void in(StatementTables statement) {
    if (statement.kind() != Kind.CREATE && !statement.what().startsWith("RENAME")) {
      return;
    }
    for (TableId table : statement.tables()) {
      if (selected.test(table) && !captured.test(table) && named.add(table)) {
        LOG.warn(
            "{} on the source: the task selects table {}, and does not replicate it. Add it with"
                + " sluice reload, or exclude it with a selection rule. Until then a cutover names it",
            statement.what(),
            table);
      }
    }
  }
}
