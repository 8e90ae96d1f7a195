package dev.sluice.connector.mariadb.capture.table;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.mariadb.capture.stream.EventType;
import dev.sluice.connector.mariadb.catalog.MariadbForeignKey;
import dev.sluice.connector.mariadb.server.EqualAgain;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/*
 * Since 9.6, MySQL itself executes the actions of foreign keys, logs the rows that they change, and
 * sets a flag in each event with rows, unless innodb_native_foreign_keys is ON. An event without
 * the flag, such as one of an older primary, is applied as by the older server: InnoDB executes the
 * actions, and the rows that they change are in no log.
 */
/**
 * Foreign keys by which a change of one table changes rows of a captured one. Stops the capture at
 * a change whose effects on these rows are not in the log. Immutable.
 */
public final class Cascades {
  /** For a decoder that returns no rows. */
  public static final Cascades NONE = new Cascades(Map.of(), Set.of());

  /** A flag of an event with rows: the server logs the rows that foreign keys change. */
  private static final int LOGS_WHAT_KEYS_CHANGE = 0x10;

  /** For each table whose changes reach a captured one, the foreign key on that way. */
  private final Map<TableId, MariadbForeignKey> keys;

  /** Other databases, whose foreign keys are not known. */
  private final Set<String> otherDatabases;

  private Cascades(Map<TableId, MariadbForeignKey> keys, Set<String> otherDatabases) {
    this.keys = Map.copyOf(keys);
    this.otherDatabases = Set.copyOf(otherDatabases);
  }

  /**
   * The foreign keys that reach captured tables, also through tables that are not captured.
   *
   * @param known all foreign keys of the source's database
   * @param captured the tables that are captured, or may be after a rename
   */
  public static Cascades of(List<MariadbForeignKey> known, Predicate<TableId> captured) {
    Map<TableId, MariadbForeignKey> keys = new HashMap<>();
    Set<TableId> reached = new HashSet<>();
    known.stream().map(MariadbForeignKey::table).filter(captured).forEach(reached::add);
    Set<String> others = new HashSet<>();
    boolean grows = true;
    while (grows) {
      grows = false;
      for (MariadbForeignKey key : known) {
        if (key.changesRows()
            && reached.contains(key.table())
            && keys.putIfAbsent(key.referenced(), key) == null) {
          reached.add(key.referenced());
          if (!key.referenced().schema().equals(key.table().schema())) {
            others.add(key.referenced().schema());
          }
          grows = true;
        }
      }
    }
    return new Cascades(keys, others);
  }

  /**
   * Requires that the log has all rows that an event changed through foreign keys.
   *
   * @throws SluiceException.Fatal if it may lack rows of a captured table
   */
  void requireLogged(TableId table, int type, int flags) {
    if ((flags & LOGS_WHAT_KEYS_CHANGE) != 0 || EventType.isInsert(type)) {
      return;
    }
    MariadbForeignKey key = keys.get(table);
    if (key != null || otherDatabases.contains(table.schema())) {
      throw new SluiceException.Fatal(
          new Problem(
              "table " + table,
              "the server logged a change for which InnoDB itself followed the foreign keys (a server"
                  + " before MySQL 9.6, or innodb_native_foreign_keys = ON), but not the rows that were"
                  + " changed with it by "
                  + (key == null
                      ? "foreign keys between databases"
                      : "the foreign key %s of table %s (ON UPDATE %s ON DELETE %s)"
                          .formatted(key.name(), key.table(), key.onUpdate(), key.onDelete())),
              "a log with all rows that foreign keys change",
              EqualAgain.byResyncAfter(
                  "Recreate such foreign keys with RESTRICT or NO ACTION. Or end the replication from"
                      + " a server before 9.6, or set innodb_native_foreign_keys = OFF where the"
                      + " change was made")));
    }
  }
}
