package dev.sluice.connector.api.comparison;

import java.util.List;
import java.util.Optional;

/**
 * A column of one side. Immutable.
 *
 * @param type as the catalog prints it, with modifiers
 * @param bareType the type under all domains, with modifiers
 * @param builtIn whether the bare type is the server's own, so that the other side has it too
 * @param exact whether two values of the bare type have the same binary form if and only if they
 *     have the same text
 * @param generated whether the server computes it
 * @param order names the order of its values: two columns whose orders are equal sort the same;
 *     empty if that is not known
 * @param readings the same column with each bare type as which this side can print its values. If
 *     there are any, this side prints them as the other side's type does, or refuses the column:
 *     nothing is cast to its type, which would hide what it has cut. Empty: its own type only
 */
public record SideColumn(
    String name,
    String type,
    String bareType,
    boolean builtIn,
    boolean exact,
    boolean generated,
    Optional<String> order,
    List<SideColumn> readings) {
  public SideColumn {
    readings = List.copyOf(readings);
  }

  /** A column that is read as its own type only. */
  public SideColumn(
      String name,
      String type,
      String bareType,
      boolean builtIn,
      boolean exact,
      boolean generated,
      Optional<String> order) {
    this(name, type, bareType, builtIn, exact, generated, order, List.of());
  }

  /** The column as it is read for values of that type, whatever its modifiers. */
  public Optional<SideColumn> readAs(String bareType) {
    String wanted = withoutModifiers(bareType);
    return readings.stream()
        .filter(reading -> withoutModifiers(reading.bareType()).equals(wanted))
        .findFirst();
  }

  private static String withoutModifiers(String type) {
    return type.replaceFirst("\\(.*?\\)", "");
  }
}
