package dev.sluice.connector.api;

import java.util.Objects;

/**
 * One column of a journaled row.
 *
 * @param name as the source's catalog spells it
 * @param type PostgreSQL's type name with modifiers, as {@code format_type} prints it
 * @param nullable whether the source allows NULL
 * @param key whether it belongs to the replica identity's key
 * @param origin identifies the column if no event trigger reports DDL
 */
public record Column(String name, String type, boolean nullable, boolean key, ColumnOrigin origin) {
  public Column {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(type, "type");
    Objects.requireNonNull(origin, "origin");
  }

  /** A column of unknown origin. */
  public Column(String name, String type, boolean nullable, boolean key) {
    this(name, type, nullable, key, ColumnOrigin.UNKNOWN);
  }
}
