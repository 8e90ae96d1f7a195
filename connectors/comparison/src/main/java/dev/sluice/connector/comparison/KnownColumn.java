package dev.sluice.connector.comparison;

import dev.sluice.connector.api.comparison.SideColumn;
import java.util.Optional;
import java.util.Set;

/**
 * A column as the catalog has it. Immutable.
 *
 * @param bareName the bare type for a cast, without modifiers
 * @param typeName the bare type's name in the catalog, if it is built in and not an array;
 *     otherwise empty
 * @param variable whether values have no fixed length
 * @param takesNull whether a value may be NULL
 * @param collation of its values, if the type has one
 */
record KnownColumn(
    SideColumn column,
    String bareName,
    String typeName,
    boolean variable,
    boolean takesNull,
    Optional<Collation> collation) {

  /** Types with the same sort order on every server. */
  private static final Set<String> SAME_ORDER =
      Set.of(
          "bool",
          "bytea",
          "char",
          "numeric",
          "float4",
          "float8",
          "money",
          "uuid",
          "oid",
          "date",
          "time",
          "timetz",
          "timestamp",
          "timestamptz",
          "interval",
          "inet",
          "cidr",
          "macaddr",
          "macaddr8",
          "bit",
          "varbit",
          "pg_lsn");

  /**
   * Types with one binary form for each text, and one text for each binary form. Not floating-point
   * numbers, which have several forms of NaN, nor arrays and rows, which contain the ids of types.
   */
  static final Set<String> EXACT =
      Set.of(
          "bool",
          "int2",
          "int4",
          "int8",
          "oid",
          "numeric",
          "text",
          "varchar",
          "bpchar",
          "bytea",
          "uuid",
          "date",
          "time",
          "timestamp",
          "timestamptz",
          "json",
          "jsonb");

  private static final Set<String> INTEGERS = Set.of("int2", "int4", "int8");
  private static final Set<String> TEXTS = Set.of("text", "varchar", "name");
  private static final String PADDED = "bpchar";
  private static final String BYTES = "bytea";

  /**
   * The name of the sort order of a column's values; empty if other servers may sort differently.
   */
  static Optional<String> order(String typeName, Optional<Collation> collation, String encoding) {
    if (INTEGERS.contains(typeName)) {
      return Optional.of("integer");
    }
    if (SAME_ORDER.contains(typeName)) {
      return Optional.of(typeName);
    }
    if (TEXTS.contains(typeName) || typeName.equals(PADDED)) {
      String kind = typeName.equals(PADDED) ? PADDED : "text";
      return collation.flatMap(by -> by.order(encoding)).map(order -> kind + " " + order);
    }
    return Optional.empty();
  }

  /** This column, for a comparison with a server that sorts its values differently. */
  KnownColumn withoutOrder() {
    SideColumn unordered =
        new SideColumn(
            column.name(),
            column.type(),
            column.bareType(),
            column.builtIn(),
            column.exact(),
            column.generated(),
            Optional.empty(),
            column.readings());
    return new KnownColumn(unordered, bareName, typeName, variable, takesNull, collation);
  }

  boolean isBytes() {
    return typeName.equals(BYTES);
  }

  /** Whether the length of a value is known without reading it, also if it is compressed. */
  boolean hasPlainLength() {
    return isBytes() || TEXTS.contains(typeName) || typeName.equals(PADDED);
  }
}
