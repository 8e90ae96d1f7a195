package dev.sluice.sink.apply.ddl;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.ddl.TableDefinition;
import dev.sluice.sink.target.DdlStatements;
import dev.sluice.sink.target.TargetDefinitions;
import dev.sluice.sink.target.TargetDefinitions.Found;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates the tables that are new on the source. A table of the same name that the target has
 * already stays as it is; it is refused if it must be another one. Owned by the apply thread.
 */
final class TableCreation {
  private static final Logger LOG = LoggerFactory.getLogger(TableCreation.class);

  private final DdlStatements ddl;
  private final TargetDefinitions target;
  private final DefinitionStatements statements;
  private final UnaryOperator<TableId> targetOf;
  private final boolean followsDrops;

  /**
   * @param targetOf maps a source table or sequence to its name on the target
   * @param followsDrops whether tables that the source drops are dropped on the target
   */
  TableCreation(
      DdlStatements ddl,
      TargetDefinitions target,
      DefinitionStatements statements,
      UnaryOperator<TableId> targetOf,
      boolean followsDrops) {
    this.ddl = ddl;
    this.target = target;
    this.statements = statements;
    this.targetOf = targetOf;
    this.followsDrops = followsDrops;
  }

  /**
   * Creates a table unless the target has it.
   *
   * @param now its name on the target
   * @throws SluiceException.Data if the target has another table of that name
   */
  void create(TableDefinition definition, TableId now) throws SQLException {
    Optional<Found> found = target.find(now);
    if (found.isPresent()) {
      keep(found.get(), definition, now);
      return;
    }
    target.makeSchema(now.schema());
    NewTable table = new NewTable(ddl, definition, now, targetOf);
    makeSchemasOfSequences(table);
    statements.run(table.sequences());
    statements.run(table.statements());
    statements.runOptional(table.defaults());
    statements.run(ddl.closeAsMoved(now));
    LOG.info("table {} created on the target", now);
  }

  /** Creates the schemas that the sequences of column defaults need. */
  void makeSchemasOfSequences(NewTable table) throws SQLException {
    for (String schema : table.schemasOfSequences()) {
      target.makeSchema(schema);
    }
  }

  private void keep(Found found, TableDefinition definition, TableId now) throws SQLException {
    List<String> key = found.key() == null ? List.of() : found.key().columns();
    requireNotLeftOver(found, key, definition);
    found.requireColumnsOf(definition);
    if (key.equals(definition.keyNames())) {
      LOG.info("table {} is already on the target", now);
    } else {
      // Rows are found by the source's key, and a unique one of the target refuses rows by name.
      LOG.warn(
          "table {} is already on the target with the primary key {}, and stays as it is; the source's new one has {}",
          now,
          key,
          definition.keyNames());
    }
  }

  /**
   * Refuses a table that stayed here when the source dropped it, perhaps by the setting of an
   * earlier time. The new table of that name has no rows yet.
   */
  private void requireNotLeftOver(Found found, List<String> key, TableDefinition definition)
      throws SQLException {
    boolean hasRows = target.hasRows(found.id());
    if (hasRows || !followsDrops && !key.equals(definition.keyNames())) {
      throw new SluiceException.Data(
          "target table %s has %s: it is another table, such as one that stayed when the source dropped or renamed it. Rename it on the target if you need its rows: a reload deletes them; then load the table again"
              .formatted(
                  found.id(),
                  hasRows
                      ? "rows, and the source's new one has none yet"
                      : "the primary key %s, and the source's new one %s"
                          .formatted(key, definition.keyNames())),
          null);
    }
  }
}
