package dev.sluice.connector.mariadb.type;

import dev.sluice.config.TableId;
import java.util.Locale;
import java.util.Objects;

/**
 * A column as {@code information_schema.columns} has it. Immutable.
 *
 * @param dataType {@code DATA_TYPE}, such as {@code int}; {@code json} for a column that is known
 *     to have only JSON
 * @param columnType {@code COLUMN_TYPE}, such as {@code int(10) unsigned}
 * @param length {@code CHARACTER_MAXIMUM_LENGTH}; 0 if the type has none
 * @param precision {@code NUMERIC_PRECISION}; 0 if the type has none
 * @param scale {@code NUMERIC_SCALE}; 0 if the type has none
 * @param fraction {@code DATETIME_PRECISION}, digits of a second; 0 if the type has none
 */
public record DeclaredColumn(
    TableId table,
    String name,
    String dataType,
    String columnType,
    long length,
    int precision,
    int scale,
    int fraction) {

  public DeclaredColumn {
    Objects.requireNonNull(table, "table");
    Objects.requireNonNull(name, "name");
    dataType = dataType.toLowerCase(Locale.ROOT);
    columnType = columnType.toLowerCase(Locale.ROOT);
  }

  boolean isUnsigned() {
    return columnType.contains(" unsigned");
  }

  /** {@code table shop.orders, column total}, for messages. */
  @Override
  public String toString() {
    return "table " + table + ", column " + name;
  }
}
