package dev.sluice.connector.mariadb.type;

import java.util.List;
import java.util.Objects;

/**
 * A column as the binary log describes it with each group of changes of its table. Immutable.
 *
 * @param type the column's type in the log
 * @param metadata what the log has beside the type, such as a length; its form depends on the type
 * @param unsigned whether a number has no sign
 * @param collation the number of the collation of a text; 0 if the column has none
 * @param labels of an ENUM or SET in their order, in the bytes of the column's character set
 */
public record LoggedColumn(
    String name, LogType type, int metadata, boolean unsigned, int collation, List<byte[]> labels) {

  public LoggedColumn {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(type, "type");
    labels = List.copyOf(labels);
  }

  /** The bytes that a STRING has at most: its metadata has two more bits for long ones. */
  int stringLength() {
    int high = metadata & 0xFF;
    int low = metadata >>> 8;
    return (high & 0x30) == 0x30 ? low : low | ((high & 0x30) ^ 0x30) << 4;
  }
}
