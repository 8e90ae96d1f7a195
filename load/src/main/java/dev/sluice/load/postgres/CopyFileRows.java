package dev.sluice.load.postgres;

import dev.sluice.config.TableId;
import dev.sluice.config.settings.FileFormat;
import dev.sluice.load.file.RowBatch;
import dev.sluice.load.target.FileRows;
import dev.sluice.load.target.ImportTarget;
import dev.sluice.load.target.RowRejection;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.postgres.PostgresBulkLoad;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.stream.Collectors;
import org.postgresql.copy.CopyIn;

/** Loads records of files by COPY, which reads them as they are. Stateless, threadsafe. */
final class CopyFileRows implements FileRows {

  /** Size of one message to the server. */
  private static final int PIECE_BYTES = 64 * 1024;

  /** The statement that loads the records. */
  @Override
  public String layout(ImportTarget target, FileFormat format) {
    return "COPY "
        + target.table().quoted()
        + target.columns().stream().map(TableId::quote).collect(Collectors.joining(", ", " (", ")"))
        + " FROM STDIN WITH "
        + format.copyOptions();
  }

  @Override
  public boolean knowsEncoding(TargetConnection connection, String encoding) throws SQLException {
    try (PreparedStatement statement =
        connection.jdbc().prepareStatement("SELECT pg_char_to_encoding(?::name) >= 0")) {
      statement.setString(1, encoding);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getBoolean(1);
      }
    }
  }

  @Override
  public void switchOnForeignKeysAndTriggers(TargetConnection connection) throws SQLException {
    connection.execute("SET session_replication_role = origin");
  }

  @Override
  public long send(
      TargetConnection connection, ImportTarget target, RowBatch batch, int from, int to)
      throws SQLException {
    CopyIn copy = PostgresBulkLoad.copyIn(connection, layout(target, batch.file().format()));
    try {
      for (int at = from; at < to; at += PIECE_BYTES) {
        copy.writeToCopy(batch.bytes(), at, Math.min(PIECE_BYTES, to - at));
      }
      return copy.endCopy();
    } finally {
      if (copy.isActive()) {
        // The session is broken or was aborted: pgjdbc's cancelCopy would not return.
        connection.abort();
      }
    }
  }

  @Override
  public RowRejection rejectionOf(SQLException error) {
    return CopyFailure.rejection(error);
  }
}
