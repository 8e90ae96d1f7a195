package dev.sluice.target.mariadb;

import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.ValueCursor;
import dev.sluice.sink.target.TargetColumn;
import dev.sluice.target.mariadb.server.ServerKind;
import dev.sluice.target.mariadb.value.ColumnType;
import dev.sluice.target.mariadb.value.Slice;
import dev.sluice.target.mariadb.value.ValueForm;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Writes keys as literals, by which the server finds rows. Only for types whose literals it does
 * not convert: whole numbers, and short texts that are compared by their bytes. Immutable.
 *
 * @param columns those of the key, in the order of its values
 */
record KeyLiterals(List<KeyColumn> columns) {
  private static final Set<String> WHOLE =
      Set.of("tinyint", "smallint", "mediumint", "int", "bigint");

  private static final Set<String> SHORT_TEXTS = Set.of("char", "varchar");

  /** The maximum length of all texts of a key, so that no statement is large. */
  private static final int CHARACTERS = 255;

  /** A column, how it takes values, and whether these are texts. */
  private record KeyColumn(String name, ValueForm form, boolean text) {}

  /**
   * @return empty if a column has another type, and for MySQL, where literals make no statement
   *     faster
   */
  static Optional<KeyLiterals> of(ServerKind server, List<TargetColumn> columns) {
    if (server != ServerKind.MARIADB || columns.isEmpty()) {
      return Optional.empty();
    }
    List<KeyColumn> key = new ArrayList<>();
    int characters = 0;
    for (TargetColumn column : columns) {
      ColumnType type = ColumnType.of(column);
      boolean text =
          SHORT_TEXTS.contains(type.name())
              && type.collation().filter(server.binaryCollation()::equals).isPresent();
      characters += text ? type.number(0, 1) : 0;
      if (!text && !WHOLE.contains(type.name())) {
        return Optional.empty();
      }
      key.add(new KeyColumn(column.quoted(), ValueForm.of(column).orElseThrow(), text));
    }
    return characters > CHARACTERS
        ? Optional.empty()
        : Optional.of(new KeyLiterals(List.copyOf(key)));
  }

  /** The condition that row {@code t} has one of these keys. */
  String isOneOf(List<Row> keys) throws SQLException {
    StringBuilder condition = new StringBuilder();
    condition.append(
        columns.stream()
            .map(column -> "t." + column.name())
            .collect(Collectors.joining(", ", "(", ")")));
    String before = " IN (";
    for (Row key : keys) {
      condition.append(before);
      append(condition, key);
      before = ", ";
    }
    return condition.append(')').toString();
  }

  private void append(StringBuilder condition, Row key) throws SQLException {
    ValueCursor cursor = key.cursor();
    char before = '(';
    for (KeyColumn column : columns) {
      cursor.next();
      Slice neutral = new Slice(cursor.buffer(), cursor.offset(), cursor.length());
      String value = column.form().loaded(neutral).text();
      condition.append(before);
      if (column.text()) {
        // A backslash in a text means nothing to the session.
        condition.append('\'').append(value.replace("'", "''")).append('\'');
      } else {
        condition.append(value);
      }
      before = ',';
    }
    condition.append(')');
  }
}
