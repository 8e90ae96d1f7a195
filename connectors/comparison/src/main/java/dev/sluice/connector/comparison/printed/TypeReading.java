package dev.sluice.connector.comparison.printed;

import dev.sluice.connector.api.comparison.ComparedRows;
import dev.sluice.connector.api.comparison.ComparedValue;
import dev.sluice.connector.api.comparison.NotReadable;
import dev.sluice.connector.api.comparison.NotReadable.Reason;
import dev.sluice.connector.api.comparison.SideColumn;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * How the values of a target's column are read in the form of one of PostgreSQL's types. A column
 * has several readings if it accepts values of several types. A value is printed with the digits
 * and the padding of the source's type. One that does not fit into that type is printed in full. So
 * a value that was cut or rounded differs from the source's. Immutable.
 *
 * @param type the type of PostgreSQL
 * @param order the name of the sort order on PostgreSQL's side, if values are sorted in the same
 *     way
 * @param printing prints values for that type with its modifiers; empty if its text of a value is
 *     not known
 */
public record TypeReading(
    String type, Optional<String> order, Function<PrintedType, Optional<PrintedColumn>> printing) {
  /** PostgreSQL's type that accepts the text of any other. */
  public static final String TEXT = "text";

  /** A type whose values are printed in the same way for all modifiers. */
  public static TypeReading of(String type, String order, PrintedColumn printed) {
    return of(type, Optional.of(order), printed);
  }

  /** The same for a type whose sort order may be unknown. */
  public static TypeReading of(String type, Optional<String> order, PrintedColumn printed) {
    return new TypeReading(type, order, any -> Optional.of(printed));
  }

  /**
   * How a column is printed for values of the source's type; empty if that is not known. A text is
   * the text of any type.
   *
   * @param readings of the column
   */
  public static Optional<PrintedColumn> printed(List<TypeReading> readings, String sourceType) {
    PrintedType wanted = PrintedType.of(sourceType);
    return named(readings, wanted.name())
        .or(() -> named(readings, TEXT))
        .flatMap(reading -> reading.printing().apply(wanted));
  }

  /**
   * The same for a compared value, by its type on the source, or by the column's own type if that
   * is unknown.
   *
   * @param type of the target's column, as its catalog prints it
   * @throws NotReadable if it is not known
   */
  public static PrintedColumn required(
      List<TypeReading> readings, ComparedRows rows, ComparedValue value, String type) {
    return value
        .as()
        .or(() -> readings.stream().map(TypeReading::type).findFirst())
        .flatMap(source -> printed(readings, source))
        .orElseThrow(
            () ->
                new NotReadable(
                    Reason.REFUSED,
                    "target table %s, column %s: is %s%s, so it is not known what the source prints of its values; expected a type that keeps the source's values unchanged"
                        .formatted(
                            rows.table(),
                            value.column(),
                            type,
                            value
                                .as()
                                .map(source -> ", but %s on the source".formatted(source))
                                .orElse("")),
                    null));
  }

  private static Optional<TypeReading> named(List<TypeReading> readings, String name) {
    return readings.stream()
        .filter(reading -> PrintedType.of(reading.type()).name().equals(name))
        .findFirst();
  }

  /**
   * The column as a comparison sees it.
   *
   * @param type as the catalog prints it
   * @param readings of the column, its own type first
   */
  public static SideColumn sideColumn(
      String name, String type, boolean generated, List<TypeReading> readings) {
    List<SideColumn> sides =
        readings.stream()
            .map(
                each ->
                    new SideColumn(
                        name, type, each.type(), false, false, generated, each.order(), List.of()))
            .toList();
    return sides.isEmpty()
        ? new SideColumn(name, type, type, false, false, generated, Optional.empty(), List.of())
        : new SideColumn(
            name,
            type,
            sides.get(0).bareType(),
            false,
            false,
            generated,
            sides.get(0).order(),
            sides);
  }
}
