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
    Objects.requireNonNull(columnType, "columnType");
  }

  public boolean isUnsigned() {
    return hasAttribute(" unsigned");
  }

  /** Whether its numbers are printed with zeros in front. */
  public boolean isZerofill() {
    return hasAttribute(" zerofill");
  }

  /** Whether the server compresses its values, such as {@code /*M!100301 COMPRESSED}. */
  boolean isCompressed() {
    return hasAttribute("/*m!");
  }

  /** Whether the type is followed by an attribute. The labels of ENUM and SET may look like one. */
  private boolean hasAttribute(String attribute) {
    return !dataType.equals("enum")
        && !dataType.equals("set")
        && columnType.toLowerCase(Locale.ROOT).contains(attribute);
  }

  /** {@code table shop.orders, column total}, for messages. */
  @Override
  public String toString() {
    return "table " + table + ", column " + name;
  }
}
