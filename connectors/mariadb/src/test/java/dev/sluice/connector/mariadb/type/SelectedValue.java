package dev.sluice.connector.mariadb.type;

/**
 * Expressions of SQL by which a load reads values, so that the server's text of each is one that
 * PostgreSQL reads as the value of the same row in the binary log. The session has {@code utf8mb4}
 * as its character set and UTC as its time zone. Stateless.
 */
public final class SelectedValue {
  private SelectedValue() {}

  /**
   * The expression for a column.
   *
   * @param name the column's name in backquotes, with the table's alias if it needs one
   */
  public static String of(DeclaredColumn column, String name) {
    return switch (column.dataType()) {
      // A FLOAT prints six digits only.
      case "float" -> "CAST(" + name + " AS DOUBLE)";
      // The text of a BIT is its bytes.
      case "bit" -> "LPAD(BIN(" + name + "), " + column.precision() + ", '0')";
      // The driver's text of a time loses zeros at the beginning of a fraction.
      case "datetime", "timestamp", "time" -> "CAST(" + name + " AS CHAR)";
      case "year" -> name + " + 0";
      default ->
          PostgresType.of(column).equals("bytea")
              ? "CONCAT(_utf8mb4 0x5C78, LOWER(HEX(" + name + ")))"
              : name;
    };
  }
}
