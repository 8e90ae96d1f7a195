package dev.sluice.connector.postgres.slot;

import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.SourceSnapshot;
import java.sql.Connection;
import java.sql.SQLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The snapshot exported when a slot was created. It shows exactly the changes up to the slot's
 * first position. It is valid while this object is open, which holds the exporting connection.
 * Closed by the thread that created it.
 */
public final class ExportedSnapshot implements SourceSnapshot {
  private static final Logger LOG = LoggerFactory.getLogger(ExportedSnapshot.class);

  private final Connection connection;
  private final String name;
  private final Position position;

  ExportedSnapshot(Connection connection, String name, Position position) {
    this.connection = connection;
    this.name = name;
    this.position = position;
  }

  /** The name for {@code SET TRANSACTION SNAPSHOT}. */
  @Override
  public String name() {
    return name;
  }

  /** The slot's consistent point: changes at or below it are in the snapshot. */
  @Override
  public Position position() {
    return position;
  }

  @Override
  public void close() {
    try {
      connection.close();
    } catch (SQLException e) {
      LOG.warn("the connection of snapshot {} could not be closed: {}", name, e.getMessage());
    }
  }
}
