package dev.sluice.connector.postgres.catalog;

import dev.sluice.connector.api.source.catalog.CatalogColumn;
import dev.sluice.connector.api.source.catalog.CatalogTable;

/** Tables for which REPLICA IDENTITY FULL is no solution. Stateless. */
public final class FullIdentity {
  /** For messages: the consequence of {@link #isRefused}. */
  public static final String WRITERS_REFUSED =
      "PostgreSQL 18 and newer would refuse the application's own UPDATE and DELETE once it is published";

  private static final int FIRST_THAT_REFUSES = 18;

  private FullIdentity() {}

  /**
   * Whether PostgreSQL refuses the application's own UPDATE and DELETE if the table is published
   * with REPLICA IDENTITY FULL. From version 18 on all columns of an identity must be published,
   * and generated ones are not.
   *
   * @param version the server's major one
   */
  public static boolean isRefused(CatalogTable table, int version) {
    return version >= FIRST_THAT_REFUSES
        && table.columns().stream().anyMatch(CatalogColumn::generated);
  }
}
