package dev.sluice.target.yugabytedb;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.CompletionStep;
import dev.sluice.connector.api.load.CompletionStep.Kind;
import dev.sluice.connector.api.load.CompletionStep.Stage;
import dev.sluice.connector.api.load.TableOutline;
import dev.sluice.connector.api.load.TableOutline.OutlinedForeignKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The foreign keys of a table that Sluice creates. Immutable. */
record YugabyteForeignKeys(TableOutline table) {

  List<CompletionStep> steps() {
    return table.foreignKeys().stream().flatMap(key -> steps(key).stream()).toList();
  }

  private List<CompletionStep> steps(OutlinedForeignKey key) {
    MadeConstraint constraint = new MadeConstraint(table, key.name(), 'f');
    Optional<String> unable = unable(key);
    if (unable.isPresent()) {
      return List.of(
          CompletionStep.leftOut(
              table.table(),
              Stage.CONSTRAINTS,
              Kind.FOREIGN_KEY,
              constraint.shown(),
              unable.get()));
    }
    String definition =
        "FOREIGN KEY (%s) REFERENCES %s (%s) ON UPDATE %s ON DELETE %s"
            .formatted(
                YugabyteColumns.list(key.columns()),
                key.references().quoted(),
                YugabyteColumns.list(key.referencedColumns()),
                key.onUpdate(),
                key.onDelete());
    return List.of(
        constraint.made(Kind.FOREIGN_KEY, definition).referencing(key.references()),
        constraint
            .validated(
                "rows of %s have no row in %s".formatted(table.table(), key.references()),
                unmatched(key),
                key.columns())
            .referencing(key.references()));
  }

  /** A row with a NULL references nothing. */
  private String unmatched(OutlinedForeignKey key) {
    List<String> equal = new ArrayList<>();
    List<String> filled = new ArrayList<>();
    for (int i = 0; i < key.columns().size(); i++) {
      String column = "r." + TableId.quote(key.columns().get(i));
      equal.add("o.%s = %s".formatted(TableId.quote(key.referencedColumns().get(i)), column));
      filled.add(column + " IS NOT NULL");
    }
    return "%s r WHERE %s AND NOT EXISTS (SELECT 1 FROM %s o WHERE %s)"
        .formatted(
            table.table().quoted(),
            String.join(" AND ", filled),
            key.references().quoted(),
            String.join(" AND ", equal));
  }

  /** Why a foreign key is not created; empty if it is. */
  private Optional<String> unable(OutlinedForeignKey key) {
    if (key.special().isPresent()) {
      return Optional.of(
          key.special().get()
              + ", which Sluice does not create here; create it by hand if it is needed");
    }
    return key.columns().stream().anyMatch(column -> table.column(column).isEmpty())
        ? Optional.of("transformation rules remove columns of it")
        : Optional.empty();
  }
}
