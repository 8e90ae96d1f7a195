package dev.sluice.target.yugabytedb;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.CompletionStep;
import dev.sluice.connector.api.load.CompletionStep.Kind;
import dev.sluice.connector.api.load.CompletionStep.Stage;
import dev.sluice.connector.api.load.DefinitionStatement;
import dev.sluice.connector.api.load.TableOutline;
import dev.sluice.connector.api.load.TableOutline.OutlinedForeignKey;
import java.util.List;

/** The foreign keys of a table that is made. Immutable. */
record MadeForeignKeys(TableOutline table) {

  List<CompletionStep> steps() {
    return table.foreignKeys().stream().map(this::step).toList();
  }

  private CompletionStep step(OutlinedForeignKey key) {
    String name = table.table() + "." + key.name();
    if (key.special().isPresent()) {
      return LeftOutStep.of(
          table.table(),
          Stage.CONSTRAINTS,
          Kind.FOREIGN_KEY,
          name,
          key.special().get() + ", which is not made; create it by hand if it is needed");
    }
    if (key.columns().stream().anyMatch(column -> table.column(column).isEmpty())) {
      return LeftOutStep.of(
          table.table(),
          Stage.CONSTRAINTS,
          Kind.FOREIGN_KEY,
          name,
          "transformation rules remove columns of it");
    }
    return CompletionStep.of(
            table.table(),
            Stage.CONSTRAINTS,
            0,
            Kind.FOREIGN_KEY,
            name,
            List.of(
                new DefinitionStatement(
                    MadeIndexes.DIALECT,
                    "constraint " + name,
                    "SELECT 1 FROM pg_catalog.pg_constraint k JOIN pg_catalog.pg_class t ON t.oid = k.conrelid JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace WHERE k.contype = 'f' AND n.nspname = %s AND t.relname = %s AND k.conname = %s"
                        .formatted(
                            Literal.of(table.table().schema()),
                            Literal.of(table.table().name()),
                            Literal.of(key.name())),
                    "ALTER TABLE %s ADD CONSTRAINT %s FOREIGN KEY (%s) REFERENCES %s (%s) ON UPDATE %s ON DELETE %s"
                        .formatted(
                            table.table().quoted(),
                            TableId.quote(key.name()),
                            MadeColumns.list(key.columns()),
                            key.references().quoted(),
                            MadeColumns.list(key.referencedColumns()),
                            key.onUpdate(),
                            key.onDelete()))))
        .referencing(key.references());
  }
}
