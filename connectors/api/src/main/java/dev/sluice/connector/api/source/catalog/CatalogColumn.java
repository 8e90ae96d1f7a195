package dev.sluice.connector.api.source.catalog;

import dev.sluice.connector.api.ColumnOrigin;

/**
 * One column of a source table. Immutable.
 *
 * @param type as {@code format_type} prints it, with modifiers
 * @param key whether it belongs to the key that the log has of old rows; if the log has all
 *     columns, to the primary key
 * @param generated whether the server computes it from other columns, and it is not replicated
 * @param identity whether it is an identity column
 * @param origin value of rows older than the column; for a partition that of the root's column
 * @param computed whether the server computes it, but it is replicated like an ordinary one
 * @param getsNulls whether NULL is replicated in place of some of its values, although the column
 *     itself accepts no NULL
 */
public record CatalogColumn(
    String name,
    String type,
    boolean nullable,
    boolean key,
    boolean generated,
    boolean identity,
    ColumnOrigin origin,
    boolean computed,
    boolean getsNulls) {

  public CatalogColumn(
      String name,
      String type,
      boolean nullable,
      boolean key,
      boolean generated,
      boolean identity,
      ColumnOrigin origin) {
    this(name, type, nullable, key, generated, identity, origin, false, false);
  }

  public CatalogColumn(
      String name,
      String type,
      boolean nullable,
      boolean key,
      boolean generated,
      boolean identity) {
    this(name, type, nullable, key, generated, identity, ColumnOrigin.UNKNOWN);
  }
}
