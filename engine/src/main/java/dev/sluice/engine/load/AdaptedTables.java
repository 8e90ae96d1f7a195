package dev.sluice.engine.load;

import dev.sluice.config.TableId;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.config.transformation.AddedColumn;
import dev.sluice.config.transformation.ColumnNames;
import dev.sluice.config.transformation.DefinedKey;
import dev.sluice.connector.api.load.DefinitionStatement;
import dev.sluice.connector.api.load.TableColumn;
import dev.sluice.connector.api.load.TableDefinitions;
import dev.sluice.connector.api.source.load.RecordedTable;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Creates tables with the columns that transformation rules define. A table is created as on the
 * source, with its keys, and then altered: so PostgreSQL itself renames the column in keys,
 * partitions, checks and generated columns. Stateless.
 */
final class AdaptedTables {
  private AdaptedTables() {}

  /** Adds to the definitions the statements that alter the tables. */
  static TableDefinitions of(
      TableDefinitions made, List<RecordedTable> tables, TableMappings mappings) {
    Set<TableId> adapted = new HashSet<>();
    List<DefinitionStatement> adaptations = new ArrayList<>();
    for (RecordedTable table : tables) {
      List<DefinitionStatement> altering = new Altering(table, mappings).statements();
      if (!altering.isEmpty()) {
        adapted.add(mappings.targetOf(table.table()));
        adaptations.addAll(altering);
      }
      // These columns do not affect keys and indexes, which may be created after the rows.
      adaptations.addAll(beforeColumns(table, mappings));
      adaptations.addAll(ConstantColumn.statements(table, mappings));
    }
    return made.adaptedBy(adapted, adaptations);
  }

  private static List<DefinitionStatement> beforeColumns(
      RecordedTable table, TableMappings mappings) {
    TableId made = mappings.targetOf(table.table());
    return BeforeColumn.of(table, mappings).stream()
        .map(
            column ->
                DefinitionStatement.always(
                    "column %s of %s".formatted(column.name(), made),
                    // DEFAULT NULL overrides a domain's default; a child table has inherited the
                    // column already.
                    "ALTER TABLE %s ADD COLUMN IF NOT EXISTS %s %s DEFAULT NULL"
                        .formatted(made.quoted(), TableId.quote(column.name()), column.type())))
        .toList();
  }

  /** The statements for one table. */
  private static final class Altering {
    private final RecordedTable source;
    private final TableMappings mappings;
    private final ColumnNames names;
    private final TableId table;
    private final List<DefinitionStatement> statements = new ArrayList<>();

    Altering(RecordedTable source, TableMappings mappings) {
      this.source = source;
      this.mappings = mappings;
      this.names = mappings.columns();
      this.table = mappings.targetOf(source.table());
    }

    List<DefinitionStatement> statements() {
      mappings.definedKey(source.table()).ifPresent(this::define);
      Map<String, String> renamed = new LinkedHashMap<>();
      for (TableColumn column : source.columns()) {
        String name = column.name();
        names
            .of(source.table(), name)
            .ifPresentOrElse(
                target -> {
                  names
                      .typeOf(source.table(), name)
                      .ifPresent(type -> alter("ALTER COLUMN ", name, " TYPE " + type));
                  if (!target.equals(name)) {
                    renamed.put(name, target);
                  }
                },
                () -> alter("DROP COLUMN ", name, ""));
      }
      // Names may be swapped, so each column is first given a temporary name.
      int number = 0;
      for (String name : renamed.keySet()) {
        alter("RENAME COLUMN ", name, " TO " + TableId.quote(passing(number++)));
      }
      number = 0;
      for (String target : renamed.values()) {
        alter("RENAME COLUMN ", passing(number++), " TO " + TableId.quote(target));
      }
      for (AddedColumn added : mappings.addedColumns(source.table())) {
        alter("ADD COLUMN ", added.name(), " " + definition(added));
      }
      return statements;
    }

    private static String passing(int number) {
      return "sluice_renamed_" + number;
    }

    private String definition(AddedColumn added) {
      return "%s GENERATED ALWAYS AS (%s) STORED"
          .formatted(
              added.type(),
              added
                  .expression()
                  .sql(source.table(), column -> names.orSame(source.table(), column)));
    }

    /**
     * Replaces the primary key; the old one stays as a unique index, since changes look up by it.
     */
    private void define(DefinedKey key) {
      String columns = list(key.columns());
      if (!source.key().isEmpty()) {
        statements.add(
            new DefinitionStatement(
                "primary key of " + table,
                "",
                """
                DO $do$
                DECLARE was text;
                BEGIN
                  SELECT format('ALTER TABLE %%s DROP CONSTRAINT %%I', conrelid::regclass, conname)
                  INTO was FROM pg_constraint
                  WHERE conrelid = '%s'::regclass AND contype = 'p';
                  IF was IS NOT NULL THEN
                    EXECUTE was;
                    ALTER TABLE %s ADD UNIQUE (%s);
                  END IF;
                END
                $do$"""
                    .formatted(
                        table.quoted().replace("'", "''"), table.quoted(), list(source.key()))));
      }
      statements.add(
          DefinitionStatement.always(
              "primary key of " + table,
              "ALTER TABLE %s ADD CONSTRAINT %s PRIMARY KEY (%s)"
                  .formatted(table.quoted(), TableId.quote(key.name()), columns)));
    }

    private void alter(String action, String column, String how) {
      statements.add(
          DefinitionStatement.always(
              "column %s of %s".formatted(column, table),
              "ALTER TABLE " + table.quoted() + " " + action + TableId.quote(column) + how));
    }

    private static String list(List<String> columns) {
      return columns.stream().map(TableId::quote).collect(Collectors.joining(", "));
    }
  }
}
