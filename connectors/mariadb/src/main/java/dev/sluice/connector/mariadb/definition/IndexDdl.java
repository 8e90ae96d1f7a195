package dev.sluice.connector.mariadb.definition;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.CompletionStep;
import dev.sluice.connector.api.load.CompletionStep.Kind;
import dev.sluice.connector.api.load.CompletionStep.Stage;
import dev.sluice.connector.api.load.DefinitionStatement;
import dev.sluice.connector.mariadb.catalog.MariadbColumn;
import dev.sluice.connector.mariadb.catalog.MariadbIndex;
import dev.sluice.connector.mariadb.catalog.MariadbTable;
import dev.sluice.connector.mariadb.server.SqlText;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The steps that create the indexes of one table. Immutable.
 *
 * @param target the table's name on the target
 */
record IndexDdl(MariadbTable table, TableId target, RelationNames names) {

  List<CompletionStep> steps() {
    return table.indexes().stream().map(this::step).toList();
  }

  private CompletionStep step(MariadbIndex index) {
    boolean key = table.key().filter(index::equals).isPresent();
    TableId qualified = names.index(target, index);
    String name = qualified.name();
    // If another relation has the name, the statement fails.
    String there =
        "FROM pg_catalog.pg_index WHERE indexrelid = pg_catalog.to_regclass(%s) AND indrelid = pg_catalog.to_regclass(%s)"
            .formatted(SqlText.of(qualified.quoted()), SqlText.of(target.quoted()));
    List<DefinitionStatement> statements = new ArrayList<>();
    // An index that exists but is not valid lacks rows; it is created again.
    statements.add(
        new DefinitionStatement(
            "unfinished index " + qualified,
            "SELECT 1 WHERE NOT EXISTS (SELECT " + there + " AND NOT indisvalid)",
            "DROP INDEX " + qualified.quoted()));
    statements.add(
        new DefinitionStatement(
            "index " + qualified,
            "SELECT 1 " + there,
            index.isPrimary() ? primary(index, name) : plain(index, name)));
    if (!index.comment().isEmpty()) {
      statements.add(
          DefinitionStatement.always(
              "comment on index " + qualified,
              "COMMENT ON INDEX %s IS %s"
                  .formatted(qualified.quoted(), SqlText.of(index.comment()))));
    }
    return CompletionStep.of(
            target,
            Stage.TABLE,
            key ? 0 : 1,
            key ? Kind.KEY : Kind.INDEX,
            qualified.toString(),
            statements)
        .skippedFor(unable(index));
  }

  private String primary(MariadbIndex index, String name) {
    return "ALTER TABLE %s ADD CONSTRAINT %s PRIMARY KEY (%s)"
        .formatted(
            target.quoted(),
            TableId.quote(name),
            index.columns().stream().map(TableId::quote).collect(Collectors.joining(", ")));
  }

  private String plain(MariadbIndex index, String name) {
    return "CREATE %sINDEX %s ON %s (%s)"
        .formatted(
            index.unique() ? "UNIQUE " : "",
            TableId.quote(name),
            target.quoted(),
            index.parts().stream().map(this::part).collect(Collectors.joining(", ")));
  }

  private String part(MariadbIndex.Part part) {
    String column = TableId.quote(part.column());
    String sql =
        part.prefix().isEmpty()
            ? column
            : isBytes(part.column())
                ? "substring(%s, 1, %d)".formatted(column, part.prefix().getAsInt())
                : "\"left\"(%s, %d)".formatted(column, part.prefix().getAsInt());
    return part.descending() ? sql + " DESC" : sql;
  }

  private boolean isBytes(String column) {
    return table.column(column).map(MariadbColumn::mappedType).filter("bytea"::equals).isPresent();
  }

  private static Optional<String> unable(MariadbIndex index) {
    if (index.hasExpressions()) {
      return Optional.of(
          "an index of the expressions %s has no known counterpart; create one by hand if it is needed"
              .formatted(index.columns()));
    }
    return switch (index.kind()) {
      case "BTREE", "HASH" -> Optional.empty();
      default ->
          Optional.of(
              "Sluice does not create %s indexes on the target; create one by hand if it is needed"
                  .formatted(index.kind()));
    };
  }
}
