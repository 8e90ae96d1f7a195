package dev.sluice.connector.api.load;

import java.util.Objects;

/**
 * A column of a table on the source or the target. Immutable.
 *
 * @param name as the catalog spells it
 * @param type with modifiers, as PostgreSQL's {@code format_type} prints it with only {@code
 *     pg_catalog} on the search path: types of other schemas are qualified
 * @param generated whether its value is computed from other columns
 */
public record TableColumn(String name, String type, boolean generated) {
  public TableColumn {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(type, "type");
  }
}
