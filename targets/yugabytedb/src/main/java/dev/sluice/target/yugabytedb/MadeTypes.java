package dev.sluice.target.yugabytedb;

import java.util.Set;

/**
 * Decides of which of PostgreSQL's types columns are created, and which of these YugabyteDB allows
 * in keys and indexes. Pure.
 */
final class MadeTypes {
  private static final Set<String> INDEXED =
      Set.of(
          "smallint",
          "integer",
          "bigint",
          "numeric",
          "real",
          "double precision",
          "boolean",
          "text",
          "character varying",
          "character",
          "bytea",
          "uuid",
          "date",
          "time without time zone",
          "time with time zone",
          "timestamp without time zone",
          "timestamp with time zone");

  private static final Set<String> OTHERS =
      Set.of(
          "json",
          "jsonb",
          "interval",
          "inet",
          "cidr",
          "macaddr",
          "macaddr8",
          "bit",
          "bit varying",
          "money",
          "\"char\"",
          "name",
          "oid",
          "point",
          "line",
          "lseg",
          "box",
          "path",
          "polygon",
          "circle",
          "tsvector",
          "tsquery",
          "int4range",
          "int8range",
          "numrange",
          "tsrange",
          "tstzrange",
          "daterange");

  private static final Set<String> COUNTED = Set.of("smallint", "integer", "bigint");

  private MadeTypes() {}

  /**
   * Whether a column of a type is created.
   *
   * @param type as PostgreSQL prints it, with its modifiers
   */
  static boolean isMade(String type) {
    String bare = withoutModifiers(type).replace("[]", "");
    return INDEXED.contains(bare) || OTHERS.contains(bare) || bare.startsWith("interval ");
  }

  /** Whether YugabyteDB allows a column of this type in a key or an index. */
  static boolean isIndexed(String type) {
    return INDEXED.contains(withoutModifiers(type));
  }

  /** Whether an identity column may have this type. */
  static boolean isCounted(String type) {
    return COUNTED.contains(type);
  }

  private static String withoutModifiers(String type) {
    return type.replaceFirst("\\(-?\\d+(,-?\\d+)?\\)", "");
  }
}
