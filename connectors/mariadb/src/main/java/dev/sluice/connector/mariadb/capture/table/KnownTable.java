package dev.sluice.connector.mariadb.capture.table;

import dev.sluice.connector.api.source.catalog.CatalogTable;
import java.util.Optional;
import java.util.Set;

/**
 * What is known of a captured table at a place of the log. Immutable.
 *
 * @param plain whether it is certain that none of its columns is computed
 * @param doubtful the columns whose types may be of another time
 */
record KnownTable(
    Knowledge knowledge, Optional<CatalogTable> table, boolean plain, Set<String> doubtful) {

  /** How certain a definition is. */
  enum Knowledge {
    /** From the catalog, which may be of a later time. */
    ASSUMED,
    CERTAIN,
    /** A statement was not followed. The description in the log before the next row is needed. */
    LOST,
    DROPPED,
    /** From a statement. The log's next description must agree, or resolves what is in doubt. */
    DECLARED,
    /** The table was created. The log describes it before its first row. */
    CREATED
  }

  KnownTable(Knowledge knowledge, Optional<CatalogTable> table) {
    this(knowledge, table, false, Set.of());
  }

  /** The definition; empty if the table was dropped. */
  Optional<CatalogTable> certain() {
    return knowledge == Knowledge.CERTAIN || knowledge == Knowledge.DECLARED
        ? table
        : Optional.empty();
  }

  /**
   * Whether the log may describe the table differently.
   *
   * @param behind whether the catalog may be of a later time than the place
   */
  boolean mayDiffer(boolean behind) {
    return knowledge == Knowledge.LOST
        || knowledge == Knowledge.CREATED
        || knowledge == Knowledge.ASSUMED && behind
        || knowledge == Knowledge.DECLARED && !doubtful.isEmpty()
        || table.isEmpty();
  }
}
