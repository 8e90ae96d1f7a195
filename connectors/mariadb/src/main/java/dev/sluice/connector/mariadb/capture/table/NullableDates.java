package dev.sluice.connector.mariadb.capture.table;

import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.Definition;
import dev.sluice.connector.api.ddl.ColumnDefinition;
import dev.sluice.connector.api.ddl.DefinitionChange;
import dev.sluice.connector.api.ddl.DefinitionChanges;
import dev.sluice.connector.api.ddl.TableDefinition;
import dev.sluice.connector.mariadb.capture.statement.LoggedStatement;
import dev.sluice.connector.mariadb.server.ValuePolicy;
import java.util.List;

/**
 * Journals definitions whose date columns accept NULL if NULL replaces dates that PostgreSQL does
 * not have, whatever the source's columns accept. Used by the thread that decodes the log.
 */
public record NullableDates(LogStatements followed, ValuePolicy values) implements LogStatements {

  @Override
  public List<ChangeEvent> changesBy(LoggedStatement statement) {
    List<ChangeEvent> changes = followed.changesBy(statement);
    return values.makesNulls() ? changes.stream().map(this::accepting).toList() : changes;
  }

  private ChangeEvent accepting(ChangeEvent event) {
    if (!(event instanceof Definition definition)) {
      return event;
    }
    DefinitionChanges all = definition.changes();
    return new Definition(all.only(all.changes().stream().map(this::accepting).toList()));
  }

  private DefinitionChange accepting(DefinitionChange change) {
    return new DefinitionChange(
        accepting(change.before()),
        accepting(change.after()),
        change.begins(),
        change.rewritten(),
        change.obstacle());
  }

  private TableDefinition accepting(TableDefinition table) {
    return table == null
        ? null
        : new TableDefinition(
            table.table(),
            table.partitionedBy(),
            table.partition(),
            table.key(),
            table.columns().stream()
                .map(column -> accepting(column, table.key().contains(column.number())))
                .toList(),
            table.parents());
  }

  private ColumnDefinition accepting(ColumnDefinition column, boolean key) {
    return values.makesNulls(column.type(), key)
        ? new ColumnDefinition(
            column.number(),
            column.name(),
            column.type(),
            column.typeIdentity(),
            column.collation(),
            false,
            column.filling(),
            column.defaultValue(),
            column.existing(),
            column.sequence())
        : column;
  }
}
