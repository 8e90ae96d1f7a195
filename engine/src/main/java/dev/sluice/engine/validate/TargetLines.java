package dev.sluice.engine.validate;

import dev.sluice.connector.api.load.OrderedCopy;
import dev.sluice.connector.api.source.load.OrderedLines;
import dev.sluice.sink.target.TargetConnection;
import java.sql.SQLException;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyOut;

/** The target's rows in the order of their keys. Owned by the thread that compares. */
record TargetLines(TargetConnection session, CopyOut copy) implements OrderedLines {

  static TargetLines begin(TargetConnection session, OrderedCopy rows) {
    try {
      return new TargetLines(
          session, session.jdbc().unwrap(PGConnection.class).getCopyAPI().copyOut(rows.sql()));
    } catch (SQLException e) {
      throw session.errors().classify("compare tables", e);
    }
  }

  @Override
  public byte[] next() {
    try {
      return copy.readFromCopy();
    } catch (SQLException e) {
      throw session.errors().classify("compare tables", e);
    }
  }

  @Override
  public void close() {
    try {
      if (copy.isActive()) {
        copy.cancelCopy();
      }
    } catch (SQLException e) {
      throw session.errors().classify("compare tables", e);
    }
  }
}
