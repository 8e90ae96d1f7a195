package dev.sluice.target.db2.value;

import dev.sluice.sink.target.TargetColumn;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The parts of a column's type. Immutable.
 *
 * @param name without arguments, such as {@code VARCHAR} or {@code VARCHAR FOR BIT DATA}
 * @param first its first argument; 0 if it has none
 * @param second its second argument; 0 if it has none
 */
public record Db2Type(String name, int first, int second) {
  private static final Pattern ARGUMENTS =
      Pattern.compile("([A-Z ]+)\\((\\d+)(?:, ?(\\d+))?\\)([A-Z ]*)");

  private static final String BITS = " FOR BIT DATA";

  /** The digits of a second's fraction that values may have; the server would cut them silently. */
  private static final int FRACTION = 6;

  /** The beginning of the name of a type with fewer digits. Sluice does not write such columns. */
  private static final String SHORT_TIMESTAMP = "TIMESTAMP(";

  public static Db2Type of(TargetColumn column) {
    return of(column.storedType());
  }

  static Db2Type of(String type) {
    Matcher parts = ARGUMENTS.matcher(type);
    if (!parts.matches() || type.startsWith(SHORT_TIMESTAMP)) {
      return new Db2Type(type, 0, 0);
    }
    return new Db2Type(
        parts.group(1) + parts.group(4),
        Integer.parseInt(parts.group(2)),
        parts.group(3) == null ? 0 : Integer.parseInt(parts.group(3)));
  }

  /**
   * The type as text, from the driver's metadata.
   *
   * @param name such as {@code VARCHAR () FOR BIT DATA}
   * @param size characters, bytes or digits
   * @param scale digits of a fraction
   */
  public static String stored(String name, int size, int scale) {
    return switch (name) {
      case "CHAR", "VARCHAR" -> "%s(%d)".formatted(name, size);
      case "CHAR () FOR BIT DATA", "VARCHAR () FOR BIT DATA" ->
          name.replace(" ()", "(" + size + ")");
      case "BINARY" -> "CHAR(%d) FOR BIT DATA".formatted(size);
      case "VARBINARY" -> "VARCHAR(%d) FOR BIT DATA".formatted(size);
      case "TIMESTAMP" -> scale < FRACTION ? "TIMESTAMP(%d)".formatted(scale) : name;
      case "DECIMAL", "NUMERIC" -> "DECIMAL(%d, %d)".formatted(size, scale);
      default -> name;
    };
  }

  boolean isBytes() {
    return name.endsWith(BITS);
  }

  boolean isText() {
    return name.equals("VARCHAR") || name.equals("CHAR");
  }

  /** Whether the server may find values of different lengths equal. */
  boolean varies() {
    return name.startsWith("VARCHAR");
  }
}
