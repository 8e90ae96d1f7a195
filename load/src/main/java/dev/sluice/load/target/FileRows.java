package dev.sluice.load.target;

import dev.sluice.config.settings.FileFormat;
import dev.sluice.load.file.RowBatch;
import dev.sluice.sink.target.TargetConnection;
import java.sql.SQLException;

/** Loads records of files, which the target itself reads in their format. Stateless, threadsafe. */
public interface FileRows {

  /**
   * How records of the format become rows, as text. Two loads are alike if theirs are equal. It is
   * stored with an import, so it stays the same in later releases.
   */
  String layout(ImportTarget target, FileFormat format);

  /** True if the server knows the encoding. */
  boolean knowsEncoding(TargetConnection connection, String encoding) throws SQLException;

  /** Switches on the target's foreign keys and triggers in this session. */
  void switchOnForeignKeysAndTriggers(TargetConnection connection) throws SQLException;

  /**
   * Sends records of a batch; their rows are in the open transaction. If another thread aborts the
   * session meanwhile, it fails.
   *
   * @param from offset of the first record in the batch's bytes
   * @param to offset after the last record
   * @return the number of rows that the target took
   */
  long send(TargetConnection connection, ImportTarget target, RowBatch batch, int from, int to)
      throws SQLException;

  /** What the error of {@link #send} says of the row at fault. */
  RowRejection rejectionOf(SQLException error);
}
