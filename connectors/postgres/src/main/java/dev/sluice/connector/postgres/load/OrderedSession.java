package dev.sluice.connector.postgres.load;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.load.OrderedCopy;
import dev.sluice.connector.api.source.load.OrderedLines;
import dev.sluice.connector.api.source.load.OrderedReader;
import dev.sluice.connector.postgres.server.SourceErrors;
import dev.sluice.connector.postgres.server.SourceServer;
import java.sql.Connection;
import java.sql.SQLException;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyOut;

/** Reads rows in the order of their keys, over one session. Owned by the reading thread. */
public final class OrderedSession implements OrderedReader {
  private final Connection connection;

  private OrderedSession(Connection connection) {
    this.connection = connection;
  }

  public static OrderedSession open(SourceServer server) {
    return new OrderedSession(server.connect());
  }

  @Override
  public OrderedLines read(OrderedCopy rows) {
    try {
      return new Lines(connection.unwrap(PGConnection.class).getCopyAPI().copyOut(rows.sql()));
    } catch (SQLException e) {
      throw failed(e);
    }
  }

  @Override
  public void close() {
    try {
      connection.close();
    } catch (SQLException e) {
      throw failed(e);
    }
  }

  private static SluiceException failed(SQLException error) {
    return SourceErrors.classify("compare tables", error);
  }

  private record Lines(CopyOut copy) implements OrderedLines {
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
  }
}
