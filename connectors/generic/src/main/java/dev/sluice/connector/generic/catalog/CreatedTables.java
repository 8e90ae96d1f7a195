package dev.sluice.connector.generic.catalog;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.load.CompletionStep;
import dev.sluice.connector.api.load.DefinitionStatement;
import dev.sluice.connector.api.load.TableDefinitions;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * The statements that make tables on a PostgreSQL target: columns with their types and NOT NULL,
 * and the primary key. Nothing else of a table is told by every driver in the same way. Stateless.
 */
final class CreatedTables {
  private CreatedTables() {}

  static TableDefinitions of(List<JdbcTable> tables, UnaryOperator<TableId> targetOf) {
    Set<DefinitionStatement> schemas = new LinkedHashSet<>();
    List<DefinitionStatement> made = new ArrayList<>();
    List<CompletionStep> keys = new ArrayList<>();
    for (JdbcTable table : tables) {
      TableId target = targetOf.apply(table.table());
      schemas.add(schema(target));
      made.add(
          DefinitionStatement.always(
              "table " + target,
              "CREATE TABLE %s (%s)"
                  .formatted(
                      target.quoted(),
                      table.columns().stream()
                          .map(column -> column(table, column))
                          .collect(Collectors.joining(", ")))));
      keys.add(key(table, target));
    }
    return new TableDefinitions(List.copyOf(schemas), made, List.of(), keys, List.of());
  }

  private static DefinitionStatement schema(TableId target) {
    return new DefinitionStatement(
        "schema " + target.schema(),
        "SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = '%s'"
            .formatted(target.schema().replace("'", "''")),
        "CREATE SCHEMA " + TableId.quote(target.schema()));
  }

  private static String column(JdbcTable table, JdbcColumn column) {
    String type =
        column.target().orElseThrow(() -> new SluiceException.Fatal(table.unknownType(column)));
    return TableId.quote(column.name()) + " " + type + (column.nullable() ? "" : " NOT NULL");
  }

  private static CompletionStep key(JdbcTable table, TableId target) {
    if (table.key().isEmpty()) {
      throw new SluiceException.Fatal(table.noKey());
    }
    // The server names it after the table.
    return CompletionStep.of(
        target,
        CompletionStep.Stage.TABLE,
        0,
        CompletionStep.Kind.KEY,
        "primary key of " + target,
        List.of(
            // A step that was interrupted after its commit runs again.
            new DefinitionStatement(
                "primary key of " + target,
                "SELECT 1 FROM pg_catalog.pg_index WHERE indisprimary AND indrelid ="
                    + " pg_catalog.to_regclass('%s')".formatted(target.quoted().replace("'", "''")),
                "ALTER TABLE %s ADD PRIMARY KEY (%s)"
                    .formatted(
                        target.quoted(),
                        table.key().stream()
                            .map(TableId::quote)
                            .collect(Collectors.joining(", "))))));
  }
}
