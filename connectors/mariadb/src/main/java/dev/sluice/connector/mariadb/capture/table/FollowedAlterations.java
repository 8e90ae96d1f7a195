package dev.sluice.connector.mariadb.capture.table;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.ddl.DefinitionChange;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.connector.mariadb.capture.statement.AlterClause;
import dev.sluice.connector.mariadb.capture.statement.AlteredTable;
import dev.sluice.connector.mariadb.capture.statement.LoggedStatement;
import dev.sluice.connector.mariadb.capture.statement.NotFollowed;
import java.util.List;

/**
 * Follows statements that alter the columns of a captured table, among the known tables. Owned by
 * the thread that decodes the log.
 */
final class FollowedAlterations {
  private final KnownTables tables;

  FollowedAlterations(KnownTables tables) {
    this.tables = tables;
  }

  /**
   * Follows one statement.
   *
   * @param clauses of the statement; none renames the table
   * @return what changes of the table, if anything does
   */
  List<DefinitionChange> follow(TableId table, List<AlterClause> clauses, LoggedStatement statement)
      throws NotFollowed {
    if (tables.answers().mayGetItsEngine(table)
        && clauses.stream().anyMatch(AlterClause.Engine.class::isInstance)) {
      throw new NotFollowed("the table may have been made again with another engine before");
    }
    if (clauses.stream()
        .allMatch(
            clause ->
                clause instanceof AlterClause.Nothing || clause instanceof AlterClause.Engine)) {
      return List.of();
    }
    requireUnfiltered(table, clauses);
    CatalogTable before = tables.requireCertain(table);
    AlteredTable altered =
        new AlteredTable(
            before, clauses, statement.run(), tables.doubtful(table), tables.mayCompute(table));
    tables.altered(altered.after());
    return altered.change().stream().toList();
  }

  /** What passes the filter may be other rows then, and the log does not have them. */
  private void requireUnfiltered(TableId table, List<AlterClause> clauses) throws NotFollowed {
    for (String filtered : tables.filteredBy(table)) {
      if (clauses.stream().map(AlterClause::column).anyMatch(filtered::equalsIgnoreCase)) {
        throw new NotFollowed(
            "a rule filters the rows of table %s by its column %s".formatted(table, filtered));
      }
    }
  }
}
