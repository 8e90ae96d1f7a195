package dev.sluice.connector.mariadb.capture.table;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.GainedNames;
import dev.sluice.connector.mariadb.capture.statement.NotFollowed;
import dev.sluice.connector.mariadb.capture.statement.Renaming;
import dev.sluice.connector.mariadb.capture.statement.StatementTables;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides which names the task selects, and stores or logs names that tables get or lose. Owned by
 * the thread that decodes the log.
 */
public final class NewNames {
  private static final Logger LOG = LoggerFactory.getLogger(NewNames.class);

  private final Predicate<TableId> selected;
  private final GainedNames gained;
  private final boolean tells;
  private final Set<TableId> named = new HashSet<>();

  private NewNames(Predicate<TableId> selected, GainedNames gained, boolean tells) {
    this.selected = selected;
    this.gained = gained;
    this.tells = tells;
  }

  public NewNames(Predicate<TableId> selected, GainedNames gained) {
    this(selected, gained, true);
  }

  /**
   * For a part of the log that was read before: nothing is stored or logged.
   *
   * @param captured the names under which tables are captured where the reading ends
   */
  public static NewNames known(Predicate<TableId> captured) {
    return new NewNames(captured, GainedNames.NONE, false);
  }

  /** Whether this part of the log was read before. */
  boolean arePast() {
    return !tells;
  }

  boolean selects(TableId table) {
    return selected.test(table);
  }

  /**
   * Stores the name under which a table is captured from a place on.
   *
   * @param proven where the server showed what the table is
   * @throws NotFollowed if it cannot be stored
   */
  void gain(TableId table, Position behind, Position proven) throws NotFollowed {
    if (!tells) {
      return;
    }
    Optional<String> hindrance = gained.gain(table, behind, proven);
    if (hindrance.isPresent()) {
      throw new NotFollowed(hindrance.get());
    }
  }

  /**
   * Stores that captured tables were dropped or renamed.
   *
   * @return whether it is stored, so that a later table with one of these names counts as new
   */
  boolean drop(List<TableId> tables, Position behind) {
    return gained.lose(tables, behind);
  }

  /** Logs that a captured table was renamed to a name that no rule selects. */
  void lose(Renaming renaming) {
    if (tells) {
      LOG.warn(
          "table {} is now {}, which no selection rule selects: it is no longer replicated, and"
              + " stays on the target as it is",
          renaming.from(),
          renaming.to());
    }
  }

  /**
   * Warns of tables that get a name which the task selects, and that it does not replicate. Warns
   * once for each table.
   *
   * @param statement one that did not fail
   */
  void warnOfOthers(StatementTables statement, Predicate<TableId> captured) {
    if (!statement.what().startsWith("RENAME")) {
      return;
    }
    for (TableId table : statement.tables()) {
      if (selected.test(table) && !captured.test(table)) {
        warn(statement.what(), table, "it has the rows of one that is not replicated");
      }
    }
  }

  /**
   * Warns once of a table that the task selects and does not replicate.
   *
   * @param what the statement that gave it its name
   * @param reason why it is not replicated
   */
  void warn(String what, TableId table, String reason) {
    if (tells && named.add(table)) {
      LOG.warn(
          "{} on the source: the task selects table {}, and does not replicate it: {}. Add it with"
              + " sluice reload, or exclude it with a selection rule. Until then a cutover names it",
          what,
          table,
          reason);
    }
  }
}
