package dev.sluice.connect.settings;

import dev.sluice.config.TableId;

/**
 * The format of target table names: schema and name, in which {@code ${schema}} and {@code
 * ${table}} stand for those of the event's source block. Immutable.
 */
record TableFormat(String schema, String name) {
  static final String SAME = "${schema}.${table}";

  private static final String SCHEMA = "${schema}";
  private static final String TABLE = "${table}";

  /**
   * Reads a format.
   *
   * @throws IllegalArgumentException if the format is not valid, or would merge several tables into
   *     one
   */
  static TableFormat parse(String text) {
    int dot = text.indexOf('.');
    if (dot <= 0 || dot == text.length() - 1) {
      throw new IllegalArgumentException("has no schema and table, with a dot between");
    }
    TableFormat format = new TableFormat(text.substring(0, dot), text.substring(dot + 1));
    if (!format.name.contains(TABLE)) {
      throw new IllegalArgumentException("has no ${table} after the dot");
    }
    String rest = text.replace(SCHEMA, "").replace(TABLE, "");
    if (rest.contains("${")) {
      throw new IllegalArgumentException("has a placeholder that is not known");
    }
    return format;
  }

  /** Whether the schema is the same for all tables. */
  boolean isInOneSchema() {
    return !schema.contains("${");
  }

  /** The table on the target. */
  TableId targetOf(TableId source) {
    return new TableId(filled(schema, source), filled(name, source));
  }

  private static String filled(String part, TableId source) {
    return part.replace(SCHEMA, source.schema()).replace(TABLE, source.name());
  }

  @Override
  public String toString() {
    return schema + "." + name;
  }
}
