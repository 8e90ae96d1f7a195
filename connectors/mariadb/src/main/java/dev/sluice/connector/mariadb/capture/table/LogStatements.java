package dev.sluice.connector.mariadb.capture.table;

import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.mariadb.capture.statement.LoggedStatement;
import java.util.List;

/**
 * Decides what a statement in the binary log means for the captured tables, if it neither begins
 * nor ends a transaction. Called by the thread that decodes the log.
 */
@FunctionalInterface
public interface LogStatements {

  /**
   * The changes to journal in place of the statement; empty if it does not concern a captured
   * table.
   *
   * @throws dev.sluice.config.document.SluiceException.Fatal if it changes a captured table in a
   *     way that cannot be journaled, naming both
   */
  List<ChangeEvent> changesBy(LoggedStatement statement);
}
