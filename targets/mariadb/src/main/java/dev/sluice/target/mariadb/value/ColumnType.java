package dev.sluice.target.mariadb.value;

import dev.sluice.sink.target.TargetColumn;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The parts of a column's type. Immutable.
 *
 * @param name without arguments, such as {@code varchar}
 * @param arguments the parts in parentheses; empty if there are none
 * @param charset empty if its values are not texts
 * @param collation empty if its values are not texts
 */
public record ColumnType(
    String name, String arguments, Optional<String> charset, Optional<String> collation) {
  private static final Pattern ARGUMENTS = Pattern.compile("(?s)^[a-z0-9_ ]+?\\((.*)\\)[a-z ]*$");

  private static final Pattern CHARACTERS =
      Pattern.compile("(?s)^(.*) CHARACTER SET (\\w+) COLLATE (\\w+)$");

  /** The type as it is written in the definition of another column with the same values. */
  public static String stored(String type, String charset, String collation) {
    return charset == null
        ? type
        : "%s CHARACTER SET %s COLLATE %s".formatted(type, charset, collation);
  }

  public static ColumnType of(TargetColumn column) {
    Matcher characters = CHARACTERS.matcher(column.storedType());
    boolean text = characters.matches();
    Matcher arguments = ARGUMENTS.matcher(text ? characters.group(1) : column.storedType());
    return new ColumnType(
        column.bareType(),
        arguments.matches() ? arguments.group(1) : "",
        text ? Optional.of(characters.group(2)) : Optional.empty(),
        text ? Optional.of(characters.group(3)) : Optional.empty());
  }

  /** Whether its values are texts, which are compared by a collation. */
  public boolean isText() {
    return charset.isPresent();
  }

  /** The clause for its character set; empty if its values are not texts. */
  public String characters() {
    return isText() ? " CHARACTER SET %s COLLATE %s".formatted(charset.get(), collation.get()) : "";
  }

  /** An argument that is a number, or the given default if the type has no such argument. */
  public int number(int index, int otherwise) {
    String[] parts = arguments.split(",");
    return index < parts.length && !parts[index].isBlank()
        ? Integer.parseInt(parts[index].strip())
        : otherwise;
  }

  /** The values of an enum or a set. */
  List<String> members() {
    List<String> members = new ArrayList<>();
    StringBuilder member = new StringBuilder();
    boolean inside = false;
    for (int i = 0; i < arguments.length(); i++) {
      char c = arguments.charAt(i);
      if (c != '\'') {
        if (inside) {
          member.append(c);
        }
      } else if (inside && i + 1 < arguments.length() && arguments.charAt(i + 1) == '\'') {
        member.append(c);
        i++;
      } else {
        inside = !inside;
        if (!inside) {
          members.add(member.toString());
          member.setLength(0);
        }
      }
    }
    return members;
  }
}
