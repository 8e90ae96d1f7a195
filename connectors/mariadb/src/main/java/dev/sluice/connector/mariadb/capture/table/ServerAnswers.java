package dev.sluice.connector.mariadb.capture.table;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.source.CaptureScope;
import dev.sluice.connector.mariadb.capture.position.BinlogPosition;
import dev.sluice.connector.mariadb.capture.statement.Renaming;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The server's answers about its tables. An answer shows the time of the query, and the log may
 * have been read only up to an earlier place. Owned by the thread that decodes the log.
 */
final class ServerAnswers {
  private final Supplier<PresentTables> askAgain;

  /**
   * Tables that a statement created, with the end of the log when the server was asked about what
   * the statement does not say.
   */
  private final Map<TableId, BinlogPosition> asked = new HashMap<>();

  /** The tables of which the log shows whether a statement created them. */
  private TellingTables telling;

  ServerAnswers(CaptureScope scope, TellingTables telling, Supplier<PresentTables> askAgain) {
    scope.gainedNames().proven().forEach((table, at) -> asked.put(table, BinlogPosition.of(at)));
    this.telling = telling;
    this.askAgain = askAgain;
  }

  /** Asks the server about its tables. */
  PresentTables present() {
    PresentTables now = askAgain.get();
    telling = now.telling();
    return now;
  }

  /** Whether the log shows if a statement created the table. May ask the server. */
  boolean tellsCreation(TableId table, BinlogPosition reached) {
    if (!mayBeToldOtherwise(reached)) {
      present();
    }
    return telling.tables().contains(table);
  }

  /** See {@link KnownTables#mayGetItsEngine}. */
  boolean mayGetItsEngine(TableId table, BinlogPosition reached) {
    return mayBeToldOtherwise(reached) && telling.tables().contains(table)
        || wasAskedLater(table, reached);
  }

  /** See {@link KnownTables#wasAskedLater}. */
  boolean wasAskedLater(TableId table, BinlogPosition reached) {
    return asked.containsKey(table) && reached.compareTo(asked.get(table)) < 0;
  }

  /** Whether the server was asked at a later place than this one. */
  private boolean mayBeToldOtherwise(BinlogPosition reached) {
    return telling.until().filter(end -> reached.compareTo(end) < 0).isPresent();
  }

  /**
   * Notes that a statement created a table.
   *
   * @param proven the end of the log when the server was asked about what the statement does not
   *     say
   */
  void made(TableId table, BinlogPosition proven) {
    asked.put(table, proven);
  }

  void renamed(Renaming renaming) {
    telling = telling.renamed(renaming);
  }
}
