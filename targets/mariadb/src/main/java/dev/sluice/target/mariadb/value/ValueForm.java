package dev.sluice.target.mariadb.value;

import dev.sluice.sink.target.TargetColumn;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Optional;

/** How a column takes values in the neutral text form. Immutable, threadsafe. */
public interface ValueForm {

  /**
   * The value as LOAD DATA gets it, before escaping.
   *
   * @throws SQLException if the column would not keep the value as it is
   */
  Slice loaded(Slice neutral) throws SQLException;

  /**
   * The expression that converts what LOAD DATA got into the column's value; empty if it is the
   * value.
   */
  default Optional<String> expression(String variable) {
    return Optional.empty();
  }

  /**
   * Sets a parameter to the value.
   *
   * @throws SQLException if the column would not keep the value as it is
   */
  default void bind(PreparedStatement statement, int parameter, Slice neutral) throws SQLException {
    statement.setString(parameter, loaded(neutral).text());
  }

  /**
   * Checks that a NULL stays NULL or is rejected by the server.
   *
   * @throws SQLException if the column would make another value of it
   */
  static void requireNullIsKept(TargetColumn column) throws SQLException {
    if (column.fillsNull()) {
      throw BadValue.ofNull(column);
    }
  }

  /**
   * Sets a parameter that is compared with a column or assigned to it.
   *
   * @param text the neutral text form; null for NULL
   * @throws SQLException if the column would make another value of it
   */
  static void bind(PreparedStatement statement, int parameter, TargetColumn column, String text)
      throws SQLException {
    if (text == null) {
      requireNullIsKept(column);
      statement.setNull(parameter, Types.NULL);
    } else {
      of(column).orElseThrow().bind(statement, parameter, Slice.of(text));
    }
  }

  /**
   * The form of a column's values; empty if Sluice does not write columns of this type.
   *
   * @param column a column of a target table
   */
  static Optional<ValueForm> of(TargetColumn column) {
    ColumnType type = ColumnType.of(column);
    return Optional.ofNullable(
        switch (column.number() == 0 ? "longtext" : type.name()) {
          case "tinyint", "smallint", "mediumint", "int", "bigint" ->
              new NumberForm(column, NumberForm.Kind.WHOLE, 0);
          case "decimal" -> new NumberForm(column, NumberForm.Kind.DECIMAL, type.number(1, 0));
          // With arguments the server would round to this number of digits without an error.
          case "float", "double" ->
              type.arguments().isEmpty()
                  ? new NumberForm(column, NumberForm.Kind.FLOATING, 0)
                  : null;
          case "char" ->
              new PaddedTextForm(new TextForm(column, type.number(0, 1), Integer.MAX_VALUE));
          case "varchar" -> new TextForm(column, type.number(0, 1), Integer.MAX_VALUE);
          case "tinytext" -> new TextForm(column, Integer.MAX_VALUE, 255);
          case "text" -> new TextForm(column, Integer.MAX_VALUE, 65_535);
          case "mediumtext" -> new TextForm(column, Integer.MAX_VALUE, 16_777_215);
          case "longtext", "uuid", "inet4", "inet6" -> TextForm.UNLIMITED;
          case "enum" -> new MemberForm(column, type.members(), false);
          case "set" -> new MemberForm(column, type.members(), true);
          case "binary" -> new BytesForm(column, type.number(0, 1), type.number(0, 1));
          case "varbinary" -> new BytesForm(column, 0, type.number(0, 1));
          case "tinyblob" -> new BytesForm(column, 0, 255);
          case "blob" -> new BytesForm(column, 0, 65_535);
          case "mediumblob" -> new BytesForm(column, 0, 16_777_215);
          case "longblob" -> new BytesForm(column, 0, Integer.MAX_VALUE);
          case "bit" -> new BitForm(column, type.number(0, 1));
          case "date" -> new TimeForm(column, TimeForm.Kind.DATE, 0);
          case "datetime" -> new TimeForm(column, TimeForm.Kind.DATETIME, type.number(0, 0));
          case "timestamp" -> new TimeForm(column, TimeForm.Kind.TIMESTAMP, type.number(0, 0));
          case "time" -> new TimeForm(column, TimeForm.Kind.TIME, type.number(0, 0));
          case "year" -> new YearForm(column);
          default -> null;
        });
  }
}
