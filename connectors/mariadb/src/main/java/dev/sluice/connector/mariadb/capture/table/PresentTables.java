package dev.sluice.connector.mariadb.capture.table;

import dev.sluice.config.TableId;
import dev.sluice.connector.mariadb.capture.position.BinlogPosition;
import dev.sluice.connector.mariadb.capture.position.LogServer;
import dev.sluice.connector.mariadb.server.Flavour;
import dev.sluice.connector.mariadb.server.MariadbQuery;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What the server says about the tables of a database that the text of CREATE TABLE may not:
 * engines, and the default character set. Immutable.
 *
 * @param flavour the server's
 * @param ofInnodb the tables of InnoDB
 * @param ofOthers the tables of other engines
 * @param textsAreBytes whether texts without a character set are bytes
 * @param end the end of the log, read after all this; empty if it is not known
 */
public record PresentTables(
    Flavour flavour,
    Set<TableId> ofInnodb,
    Set<TableId> ofOthers,
    boolean textsAreBytes,
    Optional<BinlogPosition> end) {
  private static final String INNODB = "InnoDB";

  private static final String ENGINES =
      "SELECT TABLE_NAME, coalesce(ENGINE, '') FROM information_schema.TABLES"
          + " WHERE TABLE_SCHEMA = ? AND TABLE_TYPE <> 'VIEW'";

  private static final String CHARACTER_SET =
      "SELECT DEFAULT_CHARACTER_SET_NAME FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = ?";

  public PresentTables {
    ofInnodb = Set.copyOf(ofInnodb);
    ofOthers = Set.copyOf(ofOthers);
  }

  /** Asks the server; the end of the log is read last. */
  public static PresentTables read(Connection connection, String database) throws SQLException {
    MariadbQuery query = new MariadbQuery(connection);
    Set<TableId> ofInnodb = new HashSet<>();
    Set<TableId> ofOthers = new HashSet<>();
    for (String[] row : query.rows(ENGINES, database)) {
      (row[1].equals(INNODB) ? ofInnodb : ofOthers).add(new TableId(database, row[0]));
    }
    List<String[]> sets = query.rows(CHARACTER_SET, database);
    return new PresentTables(
        Flavour.of(connection),
        ofInnodb,
        ofOthers,
        sets.isEmpty() || sets.get(0)[0].equals("binary"),
        LogServer.end(query));
  }

  /** Without a server's answer: nothing is certain. */
  static PresentTables unknown() {
    return new PresentTables(Flavour.MARIADB, Set.of(), Set.of(), true, Optional.empty());
  }

  /** The same with the timeline of a task that has changed the server so often. */
  public PresentTables on(int timeline) {
    return new PresentTables(
        flavour, ofInnodb, ofOthers, textsAreBytes, end.map(place -> place.on(timeline)));
  }

  /** The tables of which the log shows whether a statement created them. */
  TellingTables telling() {
    return flavour == Flavour.MYSQL ? new TellingTables(ofInnodb, end) : TellingTables.NONE;
  }
}
