package dev.sluice.engine.validate;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.load.OrderedCopy;
import dev.sluice.connector.api.source.load.OrderedLines;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetErrors;
import java.sql.SQLException;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyOut;

/** The target's rows in the order of their keys. Owned by the thread that compares. */
record TargetLines(CopyOut copy) implements OrderedLines {

  static TargetLines begin(TargetConnection session, OrderedCopy rows) {
    try {
      return new TargetLines(
          session.jdbc().unwrap(PGConnection.class).getCopyAPI().copyOut(rows.sql()));
    } catch (SQLException e) {
      throw failed(e);
    }
  }

  @Override
  public byte[] next() {
    try {
      return copy.readFromCopy();
    } catch (SQLException e) {
      throw failed(e);
    }
  }

  @Override
  public void close() {
    try {
      if (copy.isActive()) {
        copy.cancelCopy();
      }
    } catch (SQLException e) {
      throw failed(e);
    }
  }

  private static SluiceException failed(SQLException error) {
    return TargetErrors.classify("compare tables", error);
  }
}
