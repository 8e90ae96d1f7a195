package dev.sluice.sink.control.schema;

import dev.sluice.config.document.SluiceException;
import dev.sluice.sink.target.RepeatedTransaction;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import java.sql.SQLException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the indexes that control tables lack, where the target makes none in a transaction. They
 * only make reads fast, so one that fails is a warning. Stateless.
 */
final class ControlIndexes {
  private static final Logger LOG = LoggerFactory.getLogger(ControlIndexes.class);

  /**
   * One daemon makes them at a time: an index that is not made yet looks like one that failed. The
   * others never wait for this lock, since an index that is made beside writers waits for every
   * statement.
   */
  private static final String LOCK = "sluice control indexes";

  private ControlIndexes() {}

  static void make(TargetServer server, String schema, List<ControlTable> tables) {
    try {
      if (isAnyLacking(server, schema, tables)) {
        makeAlone(server, schema, tables);
      }
    } catch (SQLException e) {
      warn(schema, server.errors().textOf(e));
    } catch (SluiceException e) {
      warn(schema, e.getMessage());
    }
  }

  private static boolean isAnyLacking(TargetServer server, String schema, List<ControlTable> tables)
      throws SQLException {
    try (TargetConnection connection = server.borrow()) {
      for (ControlTable table : tables) {
        if (!table.lackingIn(connection, schema).isEmpty()) {
          return true;
        }
      }
      return false;
    }
  }

  /** In a session that has the lock until its end, so that no index is made without it. */
  private static void makeAlone(TargetServer server, String schema, List<ControlTable> tables)
      throws SQLException {
    try (TargetConnection session = server.connect()) {
      if (!session.dialect().locks().tryLock(session.jdbc(), LOCK, schema)) {
        LOG.info("another daemon makes the indexes of the control tables in {}", schema);
        return;
      }
      session.jdbc().commit();
      session.jdbc().setAutoCommit(true);
      for (ControlTable table : tables) {
        try {
          RepeatedTransaction.run(session.errors(), () -> makeOf(table, session, schema));
        } catch (SQLException e) {
          warn(table.in(schema), session.errors().textOf(e));
        }
      }
    }
  }

  private static void makeOf(ControlTable table, TargetConnection session, String schema)
      throws SQLException {
    for (String statement : table.lackingIn(session, schema)) {
      session.execute(statement);
    }
  }

  private static void warn(String where, String words) {
    LOG.warn(
        "{} lacks an index, which only makes reads fast; the next start tries again: {}",
        where,
        words);
  }
}
