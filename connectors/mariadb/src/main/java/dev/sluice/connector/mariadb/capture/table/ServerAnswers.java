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

  private BinlogPosition reached;

  ServerAnswers(CaptureScope scope, TellingTables telling, Supplier<PresentTables> askAgain) {
    scope.gainedNames().proven().forEach((table, at) -> asked.put(table, BinlogPosition.of(at)));
    this.telling = telling;
    this.askAgain = askAgain;
  }

  /** The place that is read now lies behind this end of a transaction. */
  void reach(BinlogPosition boundary) {
    reached = boundary;
  }

  /** Asks the server about its tables. */
  PresentTables present() {
    PresentTables now = askAgain.get();
    telling = now.telling();
    return now;
  }

  /** Whether the log shows if a statement created the table. May ask the server. */
  boolean tellsCreation(TableId table) {
    if (!wasToldLater()) {
      present();
    }
    return telling.tables().contains(table);
  }

  /**
   * Whether what was taken for the same table, also by a capture before this one, may be another
   * one, of another engine until now.
   */
  boolean mayGetItsEngine(TableId table) {
    return wasToldLater() && telling.tables().contains(table) || wasAskedLater(table);
  }

  /**
   * Whether a statement made the table and the server was asked about it at a later place: a
   * statement between the two may make it what the server has shown.
   */
  boolean wasAskedLater(TableId table) {
    return asked.containsKey(table) && reached.compareTo(asked.get(table)) < 0;
  }

  /** Whether the server said which tables tell their creation at a later place than this one. */
  private boolean wasToldLater() {
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
