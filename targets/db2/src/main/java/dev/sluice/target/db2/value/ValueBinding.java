package dev.sluice.target.db2.value;

import dev.sluice.sink.target.TargetColumn;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Optional;

/** How a column takes values in the neutral text form. Immutable, threadsafe. */
public abstract class ValueBinding {
  /** The maximum length of a number or a time, including zeros at the end of a fraction. */
  private static final int LONGEST_NUMBER = 200;

  private final TargetColumn column;
  private final int jdbcType;

  ValueBinding(TargetColumn column, int jdbcType) {
    this.column = column;
    this.jdbcType = jdbcType;
  }

  /**
   * The binding of a column's values; empty if Sluice does not write columns of this type. Among
   * these are large objects, which not every server allows in a declared temporary table.
   */
  public static Optional<ValueBinding> of(TargetColumn column) {
    Db2Type type = Db2Type.of(column);
    return Optional.ofNullable(
        switch (type.name()) {
          case "SMALLINT" -> new WholeBinding(column, Short.MIN_VALUE, Short.MAX_VALUE);
          case "INTEGER" -> new WholeBinding(column, Integer.MIN_VALUE, Integer.MAX_VALUE);
          case "BIGINT" -> new WholeBinding(column, Long.MIN_VALUE, Long.MAX_VALUE);
          case "DECIMAL" -> new DecimalBinding(column, type.first(), type.second());
          case "REAL" -> new FloatingBinding(column, true);
          case "DOUBLE" -> new FloatingBinding(column, false);
          case "CHAR", "VARCHAR" -> new TextBinding(column, type.first(), !type.varies());
          case "CHAR FOR BIT DATA", "VARCHAR FOR BIT DATA" ->
              new BytesBinding(column, type.varies() ? 0 : type.first(), type.first());
          case "DATE" -> new TimeBinding(column, TimeBinding.Kind.DATE);
          case "TIME" -> new TimeBinding(column, TimeBinding.Kind.TIME);
          case "TIMESTAMP" -> new TimeBinding(column, TimeBinding.Kind.TIMESTAMP);
          case "BOOLEAN" -> new BooleanBinding(column);
          default -> null;
        });
  }

  /** The parameter for a value of the column in a statement. */
  public static String parameter(TargetColumn column) {
    return column.number() == 0 ? "?" : of(column).map(ValueBinding::parameter).orElse("?");
  }

  String parameter() {
    return "?";
  }

  /** The type of a staging column for such values, which may be NULL. */
  public static String stagedType(TargetColumn column) {
    return column.number() == 0 ? "VARCHAR(1)" : column.storedType();
  }

  /** The type of a staging column for the neutral text of such values. */
  public static String textType(TargetColumn column) {
    Db2Type type = Db2Type.of(column);
    if (type.isText()) {
      return "VARCHAR(%d)".formatted(type.first());
    }
    return "VARCHAR(%d)".formatted(type.isBytes() ? 2 + 2 * type.first() : LONGEST_NUMBER);
  }

  /** The condition that two expressions, both not NULL, have the same value of the column. */
  public static String isSame(TargetColumn column, String one, String other) {
    String equal = one + " = " + other;
    return hasLength(column)
        ? "%s AND LENGTH(%s) = LENGTH(%s)".formatted(equal, one, other)
        : equal;
  }

  /** Whether equal values may have different lengths, since the server ignores trailing spaces. */
  public static boolean hasLength(TargetColumn column) {
    return Db2Type.of(column).varies();
  }

  /** An expression for the beginning of a value's text, for messages. */
  public static String shown(TargetColumn column, String value) {
    Db2Type type = Db2Type.of(column);
    if (type.isText()) {
      return "SUBSTR(%s, 1, CASE WHEN LENGTH(%s) < 100 THEN LENGTH(%s) ELSE 100 END)"
          .formatted(value, value, value);
    }
    return switch (type.name()) {
      case "SMALLINT", "INTEGER", "BIGINT", "DECIMAL", "DATE", "TIME", "TIMESTAMP" ->
          "RTRIM(CAST(%s AS CHAR(40)))".formatted(value);
      default -> "'a value of type " + type.name() + "'";
    };
  }

  /**
   * Sets a parameter to a value.
   *
   * @param neutral null for NULL
   * @throws SQLException if the column would not keep the value as it is
   */
  public final void bind(PreparedStatement statement, int parameter, String neutral)
      throws SQLException {
    if (neutral == null) {
      statement.setNull(parameter, jdbcType);
    } else {
      set(statement, parameter, neutral);
    }
  }

  abstract void set(PreparedStatement statement, int parameter, String neutral) throws SQLException;

  final SQLException bad(String neutral, String expected) {
    return new SQLException(column.doesNotTake(neutral, expected), "22018");
  }

  final SQLException tooLong(String neutral, String expected) {
    return new SQLException(column.doesNotTake(neutral, expected), "22001");
  }
}
