package dev.sluice.connector.mariadb.capture.position;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.mariadb.capture.statement.LoggedStatement;
import dev.sluice.connector.mariadb.capture.stream.EventType;
import dev.sluice.connector.mariadb.capture.stream.LogEvent;
import dev.sluice.connector.mariadb.server.MariadbQuery;
import dev.sluice.connector.mariadb.type.Collations;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Finds what MySQL's binary log has at a place. No statement returns that, so the file is read from
 * its beginning up to the place. Used by one thread.
 */
final class PlaceSearch {
  private final Connection session;
  private final LogBeginnings reader;
  private final String base;

  PlaceSearch(Connection session, LogBeginnings reader, String base) {
    this.session = session;
    this.reader = reader;
    this.base = base;
  }

  /**
   * The history at a place; empty if neither a transaction nor an event between two transactions
   * ends there.
   *
   * @throws SluiceException if the log cannot be read
   */
  Optional<LogHistory> find(BinlogPosition place) throws SQLException {
    String file = place.fileName(base);
    long offset = Math.max(place.offset(), BinlogPosition.FIRST_EVENT);
    if (sizeOf(file) < offset) {
      return Optional.empty();
    }
    Reading reading = new Reading(offset);
    reader.read(file, reading::take);
    return reading.found && reading.described
        ? Optional.of(new LogHistory(base, reading.begun, reading.last))
        : Optional.empty();
  }

  /** 0 if the server has no such file. */
  private long sizeOf(String file) throws SQLException {
    for (String[] row : new MariadbQuery(session).rows("SHOW BINARY LOGS")) {
      if (row[0].equals(file)) {
        return Long.parseLong(row[1]);
      }
    }
    return 0;
  }

  /** What was read of the file. */
  private static final class Reading {
    private static final Collations NONE = new Collations(Map.of());

    private final long wanted;
    private final LogOffset offset = new LogOffset(BinlogPosition.FIRST_EVENT);
    private boolean described;
    private long begun;

    /** The last complete transaction in the file, and the one that is read. */
    private String last = "";

    private String next = "";
    private boolean open;
    private boolean first;
    private boolean found;

    Reading(long wanted) {
      this.wanted = wanted;
    }

    /** Returns false once the place is reached, or passed. */
    boolean take(LogEvent sent) {
      long end = offset.after(sent, open);
      if (sent.type() == EventType.ROTATE && !sent.artificial()) {
        return false;
      }
      read(sent);
      if (described && end >= wanted) {
        found = end == wanted && !open || wanted == BinlogPosition.FIRST_EVENT;
        return false;
      }
      return true;
    }

    private void read(LogEvent event) {
      int type = event.type();
      if (EventType.beginsTransactionOfMysql(type)) {
        next = MysqlTransaction.read(event).name();
        open = true;
        first = true;
      } else if (type == EventType.FORMAT_DESCRIPTION) {
        begun = event.seconds();
        described = true;
      } else if (type == EventType.QUERY) {
        query(LoggedStatement.read(event, NONE).text().strip().toUpperCase(Locale.ROOT));
      } else if (type == EventType.XID
          || type == EventType.XA_PREPARE
          || type == EventType.TRANSACTION_PAYLOAD) {
        close();
      }
    }

    private void query(String statement) {
      boolean whole = first && MysqlTransaction.isWhole(statement);
      first = false;
      if (whole || statement.equals("COMMIT") || statement.equals("ROLLBACK")) {
        close();
      }
    }

    private void close() {
      open = false;
      last = next;
    }
  }
}
