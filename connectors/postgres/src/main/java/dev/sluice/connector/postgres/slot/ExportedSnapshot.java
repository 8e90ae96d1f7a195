package dev.sluice.connector.postgres.slot;

import dev.sluice.connector.api.Position;
import java.sql.Connection;
import java.sql.SQLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The snapshot that came with a slot's creation: what it sees is everything up to the slot's first
 * position and nothing after. It lasts as long as this object is open, which keeps its connection
 * referenced. Closed by the thread that made it.
 */
public final class ExportedSnapshot implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ExportedSnapshot.class);

  private final Connection connection;
  private final String name;
  private final Position position;

  ExportedSnapshot(Connection connection, String name, Position position) {
    this.connection = connection;
    this.name = name;
    this.position = position;
  }

  /** What {@code SET TRANSACTION SNAPSHOT} takes. */
  public String name() {
    return name;
  }

  /** The slot's consistent point: changes at or below it are in the snapshot. */
  public Position position() {
    return position;
  }

  @Override
  public void close() {
    try {
      connection.close();
    } catch (SQLException e) {
      LOG.warn("the connection of snapshot {} does not close: {}", name, e.getMessage());
    }
  }
}
