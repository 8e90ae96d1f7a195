package dev.sluice.connector.mariadb.capture.table;

import dev.sluice.config.TableId;
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

  /** As the catalog of the start shows it, which is not of a later moment. */
  KnownTable asInCatalog(boolean isPlain) {
    return new KnownTable(Knowledge.CERTAIN, table, isPlain, Set.of());
  }

  /** What the log up to the same place says of it, where this is only assumed. */
  KnownTable settledBy(KnownTable byTheLog) {
    return knowledge == Knowledge.ASSUMED
            && byTheLog.knowledge != Knowledge.LOST
            && byTheLog.knowledge != Knowledge.ASSUMED
        ? byTheLog
        : this;
  }

  /** A statement altered the table so. */
  KnownTable altered(CatalogTable now) {
    return new KnownTable(
        // No row has shown yet that it was made so.
        knowledge == Knowledge.DECLARED ? Knowledge.DECLARED : Knowledge.CERTAIN,
        Optional.of(now),
        plain,
        doubtful);
  }

  /** The same under another name. */
  KnownTable named(TableId name) {
    return new KnownTable(knowledge, table.map(then -> then.named(name)), plain, doubtful);
  }

  /**
   * Why the log's description does not fit the statement that made the table; empty if it does.
   *
   * @param logged the log's description, beside this definition
   */
  Optional<String> contradiction(LoggedDefinition logged, boolean behind) {
    return knowledge == Knowledge.DECLARED && !mayDiffer(behind) && !logged.isAsKnown()
        ? Optional.of("the log describes the table in another way than the statement that made it")
        : Optional.empty();
  }

  /** What the log's description leaves open, and this definition does not say; empty if nothing. */
  Optional<String> untold(LoggedDefinition logged, boolean behind) {
    return mayDiffer(behind)
        ? logged
            .untold()
            .map(
                column ->
                    ("the source has its column %s no longer, or with another type, and the log"
                            + " does not say whether the older values are a UUID, an address or"
                            + " bytes")
                        .formatted(column))
        : Optional.empty();
  }

  /**
   * What is known once the log has described the table.
   *
   * @throws dev.sluice.config.document.SluiceException.Fatal if its key is another one
   */
  KnownTable describedBy(LoggedDefinition logged, boolean behind) {
    if (!mayDiffer(behind)) {
      logged.requireSameKey();
      return new KnownTable(Knowledge.CERTAIN, table, plain, doubtful);
    }
    CatalogTable now = logged.isAsKnown() ? table.orElseThrow() : logged.table();
    return new KnownTable(Knowledge.CERTAIN, Optional.of(now), false, logged.doubtful());
  }
}
