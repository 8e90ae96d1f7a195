package dev.sluice.connector.mariadb.capture.table;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.ddl.DefinitionChange;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.connector.mariadb.capture.statement.AlterClause;
import dev.sluice.connector.mariadb.capture.statement.AlteredTable;
import dev.sluice.connector.mariadb.capture.statement.NotFollowed;
import dev.sluice.connector.mariadb.capture.statement.Renaming;
import dev.sluice.connector.mariadb.capture.statement.StatementTables;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Follows statements that rename captured tables, both in the known tables and in the names that
 * are stored for later starts. Owned by the thread that decodes the log.
 */
final class FollowedRenames {
  private final KnownTables tables;
  private final NewNames names;

  FollowedRenames(KnownTables tables, NewNames names) {
    this.tables = tables;
    this.names = names;
  }

  /**
   * The renaming of an ALTER TABLE.
   *
   * @throws NotFollowed if it does something else as well
   */
  static Renaming only(StatementTables found, List<AlterClause> clauses) throws NotFollowed {
    if (clauses.size() > 1) {
      throw new NotFollowed("it renames the table and does something else as well");
    }
    return new Renaming(found.tables().get(0), ((AlterClause.RenameTable) clauses.get(0)).name());
  }

  /**
   * Follows the renamings of one statement. Each new name is checked first, so that a statement
   * that is not followed changes nothing.
   *
   * @return the changes of the tables that are captured under their new names
   */
  List<DefinitionChange> follow(List<Renaming> written) throws NotFollowed {
    List<Renaming> exact = new ArrayList<>();
    for (Renaming each : written) {
      exact.add(new Renaming(tables.names().exact(each.from()), tables.names().exact(each.to())));
    }
    List<Renaming> ofTables = new ArrayList<>();
    List<DefinitionChange> changes = new ArrayList<>();
    for (Renaming each : Renaming.together(exact)) {
      if (tables.answers().wasAskedLater(each.from())) {
        throw new NotFollowed(
            "the source was asked about table %s under the name that it has later"
                .formatted(each.from()));
      }
      if (tables.isCaptured(each.from())) {
        ofTables.add(each);
        if (names.selects(each.to())) {
          requireUnfiltered(each);
          changes.add(renamed(each));
        }
      } else if (tables.isCaptured(each.to())) {
        throw new NotFollowed(
            "table %s has the rows of %s now, which the task does not replicate"
                .formatted(each.to(), each.from()));
      }
    }
    for (Renaming each : ofTables) {
      if (names.selects(each.to())) {
        names.gain(each.to(), tables.behind(), tables.behind());
      } else {
        names.lose(each);
      }
    }
    Set<TableId> left = leave(ofTables);
    for (Renaming each : ofTables) {
      if (names.selects(each.to())) {
        tables.renamed(each);
      } else {
        tables.dropped(each.from());
      }
    }
    left.forEach(tables::freed);
    return changes;
  }

  /**
   * Notes that a table with one of the former names is another table after the statement.
   *
   * @return the names for which that is stored; a table with another one of these names is not
   *     captured while this capture runs
   */
  private Set<TableId> leave(List<Renaming> ofTables) {
    Set<TableId> left = new TreeSet<>();
    ofTables.forEach(each -> left.add(each.from()));
    ofTables.stream().map(Renaming::to).filter(names::selects).forEach(left::remove);
    boolean remembered =
        !left.isEmpty() && !names.arePast() && names.drop(List.copyOf(left), tables.behind());
    return remembered ? left : Set.of();
  }

  private DefinitionChange renamed(Renaming renaming) throws NotFollowed {
    CatalogTable before = tables.requireCertain(renaming.from());
    Optional<String> borrowed = tables.borrowed(before);
    if (borrowed.isPresent()) {
      throw new NotFollowed(borrowed.get());
    }
    return new DefinitionChange(
        AlteredTable.definition(before),
        AlteredTable.definition(before.named(renaming.to())),
        false,
        false,
        null);
  }

  /** Requires that neither name has a row filter: the two filters may pass different rows. */
  private void requireUnfiltered(Renaming renaming) throws NotFollowed {
    for (TableId each : List.of(renaming.from(), renaming.to())) {
      if (!tables.filteredBy(each).isEmpty()) {
        throw new NotFollowed("a rule filters the rows of table %s".formatted(each));
      }
    }
  }
}
