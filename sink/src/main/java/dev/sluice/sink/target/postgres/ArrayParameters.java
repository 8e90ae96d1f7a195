package dev.sluice.sink.target.postgres;

import dev.sluice.connector.api.ValueCursor;
import dev.sluice.sink.target.BulkLoad;
import dev.sluice.sink.target.StagedColumn;
import dev.sluice.sink.target.TargetConnection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.function.UnaryOperator;

/** A set of rows as one array parameter for each column. Owned by the apply thread. */
final class ArrayParameters implements BulkLoad.Parameters {
  private final List<StagedColumn> columns;
  private final ArrayText[] arrays;
  private int next;

  ArrayParameters(List<StagedColumn> columns) {
    this.columns = columns;
    this.arrays =
        columns.stream()
            .map(column -> new ArrayText(delimiter(column) == 0 ? ',' : delimiter(column)))
            .toArray(ArrayText[]::new);
  }

  @Override
  public void number(long value) {
    arrays[next++].number(value);
  }

  @Override
  public void text(String value) {
    arrays[next++].text(value);
  }

  @Override
  public void value(ValueCursor cursor) {
    arrays[next++].value(cursor);
  }

  @Override
  public void endRow() {
    next = 0;
  }

  @Override
  public PreparedStatement prepare(TargetConnection connection, UnaryOperator<String> sql)
      throws SQLException {
    PreparedStatement statement = connection.jdbc().prepareStatement(sql.apply(from()));
    for (int column = 0; column < arrays.length; column++) {
      statement.setString(column + 1, arrays[column].end());
    }
    return statement;
  }

  private String from() {
    StringBuilder names = new StringBuilder();
    StringBuilder parameters = new StringBuilder();
    StringBuilder outputs = new StringBuilder();
    for (StagedColumn column : columns) {
      String comma = names.isEmpty() ? "" : ", ";
      names.append(comma).append(column.name());
      boolean asText = delimiter(column) == 0;
      parameters
          .append(comma)
          .append("?::")
          .append(asText ? "pg_catalog.text" : bareType(column))
          .append("[]");
      outputs.append(comma).append("f.").append(column.name());
      if (asText) {
        outputs.append("::").append(bareType(column)).append(" AS ").append(column.name());
      }
    }
    return "(SELECT %s FROM unnest(%s) AS f (%s)) AS s".formatted(outputs, parameters, names);
  }

  private static char delimiter(StagedColumn column) {
    return column.column() == null ? ',' : column.column().arrayDelimiter();
  }

  private static String bareType(StagedColumn column) {
    return switch (column.kind()) {
      case NUMBER -> "pg_catalog.int8";
      case BITS -> "pg_catalog.varbit";
      case VALUE, KEY -> column.column().bareType();
    };
  }
}
