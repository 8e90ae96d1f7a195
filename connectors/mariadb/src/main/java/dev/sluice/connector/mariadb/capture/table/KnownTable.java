package dev.sluice.connector.mariadb.capture.table;

import dev.sluice.connector.api.source.catalog.CatalogTable;
import java.util.Optional;
import java.util.Set;

/**
 * What is known of a captured table at a place of the log. Immutable.
 *
 * @param plain whether none of its columns is computed, for certain
 * @param doubtful the columns whose types may be of another moment
 */
record KnownTable(
    Knowledge knowledge, Optional<CatalogTable> table, boolean plain, Set<String> doubtful) {

  /** How certain a definition is. */
  enum Knowledge {
    /** The catalog's, which may be of a later moment. */
    ASSUMED,
    CERTAIN,
    /** A statement was not followed: the log describes the table with its next row. */
    LOST,
    DROPPED,
    /** A statement made it so: its next row has to be the same, or tells what is in doubt. */
    DECLARED,
    /** It was created: the log describes it with its next row. */
    CREATED
  }

  KnownTable(Knowledge knowledge, Optional<CatalogTable> table) {
    this(knowledge, table, false, Set.of());
  }

  /** What stands for a table in a result: its definition, or nothing if it was dropped. */
  Optional<CatalogTable> certain() {
    return knowledge == Knowledge.CERTAIN || knowledge == Knowledge.DECLARED
        ? table
        : Optional.empty();
  }

  /**
   * Whether the log may describe the table in another way.
   *
   * @param behind whether the catalog may be of a later moment than the place
   */
  boolean mayDiffer(boolean behind) {
    return knowledge == Knowledge.LOST
        || knowledge == Knowledge.CREATED
        || knowledge == Knowledge.ASSUMED && behind
        || knowledge == Knowledge.DECLARED && !doubtful.isEmpty()
        || table.isEmpty();
  }
}
