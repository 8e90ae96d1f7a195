package dev.sluice.connector.api;

import java.util.Objects;

/**
 * One column of a journaled row.
 *
 * @param name as the source's catalog spells it
 * @param type PostgreSQL's type name with modifiers, as {@code format_type} prints it
 * @param nullable whether the source allows NULL
 * @param key whether it belongs to the replica identity's key
 */
public record Column(String name, String type, boolean nullable, boolean key) {
  public Column {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(type, "type");
  }
}
