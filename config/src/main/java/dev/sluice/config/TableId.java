package dev.sluice.config;

import java.util.Objects;

/** The name of a table on one side: schema and table as the catalog spells them. Immutable. */
public record TableId(String schema, String name) implements Comparable<TableId> {

  public TableId {
    Objects.requireNonNull(schema, "schema");
    Objects.requireNonNull(name, "name");
  }

  /** The name as SQL wants it, each part in double quotes. */
  public String quoted() {
    return quote(schema) + "." + quote(name);
  }

  /** One identifier in double quotes, embedded quotes doubled. */
  public static String quote(String identifier) {
    return '"' + identifier.replace("\"", "\"\"") + '"';
  }

  @Override
  public int compareTo(TableId other) {
    int bySchema = schema.compareTo(other.schema);
    return bySchema != 0 ? bySchema : name.compareTo(other.name);
  }

  /** For people: {@code schema.name}, unquoted. */
  @Override
  public String toString() {
    return schema + "." + name;
  }
}
