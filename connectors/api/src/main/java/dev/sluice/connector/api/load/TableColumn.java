package dev.sluice.connector.api.load;

import java.util.Objects;

/**
 * A column of a table on one side. Immutable.
 *
 * @param name as the catalog spells it
 * @param type with modifiers, as PostgreSQL's {@code format_type} prints it when only {@code
 *     pg_catalog} is on the search path: every other schema's types carry their schema
 * @param generated whether its value is computed from other columns
 */
public record TableColumn(String name, String type, boolean generated) {
  public TableColumn {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(type, "type");
  }
}
