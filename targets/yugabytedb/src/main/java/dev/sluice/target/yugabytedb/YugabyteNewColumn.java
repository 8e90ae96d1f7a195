package dev.sluice.target.yugabytedb;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.ddl.ColumnDefinition;
import dev.sluice.connector.api.load.TableOutline.OutlinedColumn;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A column that was added to the source's table. Existing rows must get the value that older rows
 * have on the source, so this value is the default while the column is added. If the column's own
 * default is another one, the column is added under a temporary name and renamed last: a column
 * with the temporary name was left by a crash, and is dropped. Immutable.
 */
final class YugabyteNewColumn {
  private static final String UNNAMED = "sluice_new_";

  private final TableId table;
  private final ColumnDefinition column;
  private final OutlinedColumn outline;
  private final boolean filled;
  private final boolean rewritten;
  private final Optional<String> own;

  /**
   * @param filled whether the table has rows
   * @param rewritten whether the source rewrote its rows, so that each may have another value
   */
  YugabyteNewColumn(TableId table, ColumnDefinition column, boolean filled, boolean rewritten) {
    this.table = table;
    this.column = column;
    this.outline = YugabyteOutlines.of(column);
    this.filled = filled;
    this.rewritten = rewritten;
    this.own = outline.defaultValue().filter(MadeDefault::isMade);
  }

  /** Its temporary name. */
  String unnamed() {
    return UNNAMED + Integer.toHexString(column.name().hashCode());
  }

  /** Why it cannot be added; empty if it can. */
  Optional<String> objection() {
    if (column.filling().generated()) {
      return Optional.of("column %s is generated".formatted(column.name()));
    }
    if (!filled) {
      return Optional.empty();
    }
    Optional<String> computed = column.computedForOlderRows(rewritten);
    if (computed.isPresent()) {
      return Optional.of(
          "column %s was added with values that the source computed for each row (%s), which are not in the log"
              .formatted(column.name(), computed.get()));
    }
    return column.notNull() && column.existing() == null
        ? Optional.of(
            "column %s was added, and the log does not have the values of older rows"
                .formatted(column.name()))
        : Optional.empty();
  }

  List<String> statements() {
    if (!filled) {
      return List.of(altering("ADD COLUMN " + YugabyteColumns.definition(outline)));
    }
    if (column.existing() == null && own.isEmpty()) {
      return List.of(altering(added(column.name())));
    }
    List<String> statements = new ArrayList<>();
    statements.add(altering(added(unnamed())));
    if (column.existing() != null || own.isPresent()) {
      statements.add(
          altering(
              "ALTER COLUMN %s %s"
                  .formatted(
                      TableId.quote(unnamed()),
                      own.map(value -> "SET DEFAULT " + value).orElse("DROP DEFAULT"))));
    }
    statements.add(
        altering(
            "RENAME COLUMN %s TO %s"
                .formatted(TableId.quote(unnamed()), TableId.quote(column.name()))));
    return statements;
  }

  private String added(String name) {
    return "ADD COLUMN %s %s%s%s"
        .formatted(
            TableId.quote(name),
            column.type(),
            column.existing() == null
                ? ""
                : " DEFAULT %s::%s".formatted(Literal.of(column.existing()), column.type()),
            column.notNull() ? " NOT NULL" : "");
  }

  private String altering(String action) {
    return "ALTER TABLE %s %s".formatted(table.quoted(), action);
  }

  /** The default that is not created, for messages; empty if there is none. */
  Optional<String> leftOut() {
    return outline
        .defaultValue()
        .filter(value -> own.isEmpty())
        .map(value -> "the default %s of column %s".formatted(value, column.name()));
  }
}
