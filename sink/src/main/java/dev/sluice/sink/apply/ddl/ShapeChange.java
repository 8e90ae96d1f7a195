package dev.sluice.sink.apply.ddl;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.api.ColumnOrigin.Before;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.sink.target.DdlStatements;
import dev.sluice.sink.target.TargetTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/*
 * PostgreSQL numbers the columns of a table and never uses a number twice. So the same number with
 * another name is a renamed column, and the same name with another number is a re-created column.
 * Without the numbers the two cases cannot be distinguished.
 */
/**
 * Builds the statements that adapt a target table to a new row schema if no event trigger reported
 * the alteration. It refuses if the two row schemas leave a doubt; it guesses nothing. Pure.
 */
public final class ShapeChange {
  private static final String FIX =
      "Load the table again: sluice reload, if TableErrorPolicy is SUSPEND_TABLE, so that the"
          + " task goes on without it";

  private final DdlStatements ddl;
  private final Optional<RowSchema> last;
  private final RowSchema now;
  private final TargetTable table;

  private ShapeChange(
      DdlStatements ddl, Optional<RowSchema> last, RowSchema now, TargetTable table) {
    this.ddl = ddl;
    this.last = last;
    this.now = now;
    this.table = table;
  }

  /**
   * @param last the row schema before; empty if it is not known
   * @param now the row schema of the rows to be applied
   * @return the statements to run on the target; mostly none
   * @throws SluiceException.Table if the alteration is ambiguous, or values are not known
   */
  public static List<String> statements(
      DdlStatements ddl, Optional<RowSchema> last, RowSchema now, TargetTable table) {
    return new ShapeChange(ddl, last, now, table).statements();
  }

  private List<String> statements() {
    for (Column before : last.map(RowSchema::columns).orElse(List.of())) {
      column(now, before.name()).ifPresent(column -> requireSame(before, column));
    }
    List<Column> missing = now.columns().stream().filter(column -> !isOnTarget(column)).toList();
    List<Column> gone =
        last.map(RowSchema::columns).orElse(List.of()).stream()
            .filter(column -> column(now, column.name()).isEmpty() && isOnTarget(column))
            .toList();
    if (!missing.isEmpty() && last.isEmpty() && targetHasMore()) {
      throw refused(
          "the rows have the columns %s, which the target lacks, and the target has others, which the rows lack"
              .formatted(names(missing)));
    }
    if (!missing.isEmpty() && !gone.isEmpty() && !(areNumbered(missing) && areNumbered(gone))) {
      throw refused(
          "the columns %s are gone and %s are new: renamed, or dropped and added?"
              .formatted(names(gone), names(missing)));
    }
    List<String> statements = new ArrayList<>();
    for (Column column : gone) {
      Optional<Column> renamed =
          missing.stream().filter(other -> other.origin().isOfSame(column.origin())).findFirst();
      renamed.ifPresent(other -> requireSameType(column, other));
      statements.add(
          renamed.isPresent()
              ? ddl.renameColumn(table.id(), column.name(), renamed.get().name())
              : ddl.dropColumn(table.id(), column.name()));
    }
    for (Column column : missing) {
      if (gone.stream().noneMatch(other -> other.origin().isOfSame(column.origin()))) {
        statements.addAll(adding(column));
      }
    }
    if (!statements.isEmpty() && !ddl.isTransactional()) {
      throw refused("the target would commit the window before its end to alter the table");
    }
    return statements;
  }

  /** Adds a column; existing rows get the source's value as a constant, never an expression. */
  private List<String> adding(Column column) {
    if (column.origin().before() == Before.UNKNOWN) {
      throw refused(
          "column %s is new, and its values in older rows are not known: it is NOT NULL, an identity, or has a default, and the catalog keeps no value for them"
              .formatted(column.name()));
    }
    return ddl.addColumn(
        table.id(),
        column,
        column.origin().before() == Before.NULL ? null : column.origin().value());
  }

  private void requireSame(Column before, Column column) {
    if (before.origin().isOfAnother(column.origin())) {
      throw refused(
          "column %s is another one than before (it was dropped and re-created, or names were exchanged), and its values are not known"
              .formatted(column.name()));
    }
    String target = table.column(column.name()).map(found -> found.type()).orElse(column.type());
    if (!target.equals(column.type())) {
      requireSameType(before, column);
    }
  }

  private void requireSameType(Column before, Column column) {
    if (!before.type().equals(column.type())) {
      throw refused(
          "the type of column %s became %s, and how its values were converted is not known"
              .formatted(column.name(), column.type()));
    }
  }

  private boolean targetHasMore() {
    return table.columns().stream()
        .anyMatch(column -> !column.generated() && column(now, column.name()).isEmpty());
  }

  private boolean isOnTarget(Column column) {
    return table.column(column.name()).isPresent();
  }

  private SluiceException refused(String why) {
    return new SluiceException.Table(
        now.table(),
        List.of(
            new Problem(
                "source table " + now.table(),
                "was altered, and no event trigger reported how: " + why,
                "an unambiguous alteration with known values",
                FIX
                    + ". Or give target table %s the source's columns and values, and delete the row of %s in row_shape of the control schema"
                        .formatted(table.id(), now.table()))));
  }

  private static boolean areNumbered(List<Column> columns) {
    return columns.stream().allMatch(column -> column.origin().number() != 0);
  }

  private static Optional<Column> column(RowSchema schema, String name) {
    return schema.columns().stream().filter(column -> column.name().equals(name)).findFirst();
  }

  private static List<String> names(List<Column> columns) {
    return columns.stream().map(Column::name).toList();
  }
}
