package dev.sluice.load.log;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.load.file.BatchOffset;
import dev.sluice.load.file.DataFile;
import dev.sluice.sink.control.schema.ControlSchema;
import dev.sluice.sink.control.schema.LoadTables;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Stores the progress of an import on the target: its files, and each loaded batch, recorded in the
 * batch's own transaction. Threadsafe and stateless. Methods with a connection act in its open
 * transaction; the others are durable when they return.
 */
public final class ImportLog {
  private final TargetServer server;
  private final String controlSchema;
  private final String task;
  private final ImportClaim claim;
  private final String tasks;
  private final String files;
  private final String batches;

  public ImportLog(TargetServer server, String controlSchema, String task) {
    this.server = server;
    this.controlSchema = controlSchema;
    this.task = task;
    this.claim = new ImportClaim(controlSchema, task);
    this.tasks = LoadTables.IMPORT_TASK.in(controlSchema);
    this.files = LoadTables.IMPORT_FILE.in(controlSchema);
    this.batches = LoadTables.IMPORT_BATCH.in(controlSchema);
  }

  /**
   * Claims the next epoch, so that an import with an older epoch can commit nothing more. Waits for
   * batches that are being committed, so that {@link #files} is complete afterwards.
   */
  public long claim() {
    ControlSchema.create(server, controlSchema);
    try (TargetConnection connection = server.borrow()) {
      connection.commitDurably();
      long epoch = claim.next(connection);
      connection.jdbc().commit();
      return epoch;
    } catch (SQLException e) {
      throw server.errors().classify("claim the import of task " + task, e);
    }
  }

  /** All files of the task by name; empty if nothing was imported yet. */
  public Map<String, ImportedFile> files() {
    try (TargetConnection connection = server.borrow()) {
      if (!LoadTables.IMPORT_BATCH.isIn(connection, controlSchema)) {
        return Map.of();
      }
      Map<String, List<ImportedBatch>> found = batches(connection);
      String sql =
          "SELECT file, table_schema, table_name, layout, size, modified, head, first_byte,"
              + " end_byte FROM "
              + files
              + " WHERE task = ? ORDER BY file";
      Map<String, ImportedFile> known = new LinkedHashMap<>();
      try (PreparedStatement statement = connection.jdbc().prepareStatement(sql)) {
        statement.setString(1, task);
        try (ResultSet row = statement.executeQuery()) {
          while (row.next()) {
            String name = row.getString(1);
            Instant modified = row.getObject(6, OffsetDateTime.class).toInstant();
            known.put(
                name,
                new ImportedFile(
                    name,
                    new TableId(row.getString(2), row.getString(3)),
                    row.getString(4),
                    new DataFile.Identity(row.getLong(5), modified, row.getString(7)),
                    row.getLong(8),
                    end(row),
                    found.getOrDefault(name, List.of())));
          }
        }
      }
      return known;
    } catch (SQLException e) {
      throw server.errors().classify("read the import of task " + task, e);
    }
  }

  private static OptionalLong end(ResultSet row) throws SQLException {
    long end = row.getLong(9);
    return row.wasNull() ? OptionalLong.empty() : OptionalLong.of(end);
  }

  private Map<String, List<ImportedBatch>> batches(TargetConnection connection)
      throws SQLException {
    String sql =
        "SELECT file, first_byte, end_byte, first_line, next_line, \"rows\", bad_rows, bad_file_end"
            + " FROM "
            + batches
            + " WHERE task = ? ORDER BY file, first_byte";
    Map<String, List<ImportedBatch>> found = new LinkedHashMap<>();
    try (PreparedStatement statement = connection.jdbc().prepareStatement(sql)) {
      statement.setString(1, task);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          found
              .computeIfAbsent(row.getString(1), name -> new ArrayList<>())
              .add(
                  new ImportedBatch(
                      new BatchOffset(
                          row.getLong(2),
                          row.getLong(3),
                          row.getLong(4),
                          row.getLong(5),
                          row.getLong(6)),
                      row.getLong(7),
                      row.getLong(8)));
        }
      }
    }
    return found;
  }

  /** A file that is to be imported, with the layout that it is read with. Immutable. */
  public record Beginning(DataFile file, TableId table, String layout) {}

  /**
   * Records files before their first batch. A known file stays unchanged.
   *
   * @throws SluiceException.Fenced if another import of the task has started
   */
  public void begin(long epoch, List<Beginning> beginnings) {
    List<String> columns =
        List.of(
            "task",
            "file",
            "table_schema",
            "table_name",
            "layout",
            "size",
            "modified",
            "head",
            "first_byte");
    try (TargetConnection connection = server.borrow();
        PreparedStatement statement =
            connection
                .dialect()
                .control()
                .prepareInsertUnlessThere(connection.jdbc(), files, columns)) {
      connection.commitDurably();
      claim.hold(connection, epoch);
      for (Beginning beginning : beginnings) {
        DataFile file = beginning.file();
        statement.setString(1, task);
        statement.setString(2, file.name());
        statement.setString(3, beginning.table().schema());
        statement.setString(4, beginning.table().name());
        statement.setString(5, beginning.layout());
        statement.setLong(6, file.identity().size());
        statement.setObject(7, file.identity().modified().atOffset(ZoneOffset.UTC));
        statement.setString(8, file.identity().head());
        statement.setLong(9, file.firstByte());
        statement.addBatch();
      }
      statement.executeBatch();
      connection.jdbc().commit();
    } catch (SQLException e) {
      throw server.errors().classify("begin the import of task " + task, e);
    }
  }

  /**
   * Records a batch in the open transaction, which must be the one with its rows. Does not commit.
   *
   * @throws SluiceException.Fenced if another import of the task has started
   */
  public void note(TargetConnection connection, long epoch, String file, ImportedBatch batch)
      throws SQLException {
    // The lock makes a claim wait until this transaction has committed.
    String sql =
        "INSERT INTO "
            + batches
            + " (task, file, first_byte, end_byte, first_line, next_line, \"rows\", bad_rows,"
            + " bad_file_end, epoch) SELECT task, ?, ?, ?, ?, ?, ?, ?, ?, epoch FROM "
            + tasks
            + " WHERE task = ? AND epoch = ?"
            + connection.dialect().control().forShare();
    try (PreparedStatement statement = connection.jdbc().prepareStatement(sql)) {
      statement.setString(1, file);
      statement.setLong(2, batch.place().firstByte());
      statement.setLong(3, batch.place().endByte());
      statement.setLong(4, batch.place().firstLine());
      statement.setLong(5, batch.place().nextLine());
      statement.setLong(6, batch.place().rows());
      statement.setLong(7, batch.badRows());
      statement.setLong(8, batch.badFileEnd());
      statement.setString(9, task);
      statement.setLong(10, epoch);
      if (statement.executeUpdate() != 1) {
        throw claim.fenced(epoch);
      }
    }
  }

  /**
   * Records that a file is completely loaded, and makes all of it durable.
   *
   * @param endByte offset after its last record
   * @throws SluiceException.Rewound if the target has lost a batch, for example in a crash
   * @throws SluiceException.Fenced if another import of the task has started
   */
  public void finish(long epoch, DataFile file, long endByte) {
    String covered =
        "SELECT coalesce(sum(end_byte - first_byte), 0) FROM "
            + batches
            + " WHERE task = ? AND file = ?";
    String done =
        "UPDATE "
            + files
            + " SET end_byte = ?, ended_at = CURRENT_TIMESTAMP WHERE task = ? AND file = ?";
    try (TargetConnection connection = server.borrow();
        PreparedStatement sum = connection.jdbc().prepareStatement(covered);
        PreparedStatement update = connection.jdbc().prepareStatement(done)) {
      connection.commitDurably();
      claim.hold(connection, epoch);
      sum.setString(1, task);
      sum.setString(2, file.name());
      long bytes;
      try (ResultSet row = sum.executeQuery()) {
        row.next();
        bytes = row.getLong(1);
      }
      if (bytes != endByte - file.firstByte()) {
        throw new SluiceException.Rewound(
            "of %s %,d bytes of rows were loaded, of which the target remembers %,d: it has lost"
                    .formatted(file.name(), endByte - file.firstByte(), bytes)
                + " its last commits");
      }
      update.setLong(1, endByte);
      update.setString(2, task);
      update.setString(3, file.name());
      update.executeUpdate();
      connection.jdbc().commit();
    } catch (SQLException e) {
      throw server.errors().classify("finish the import of " + file.name(), e);
    }
  }

  /** Deletes all files of the task from the log. */
  public void forget(long epoch) {
    try (TargetConnection connection = server.borrow()) {
      connection.commitDurably();
      claim.hold(connection, epoch);
      for (String table : List.of(batches, files)) {
        try (PreparedStatement statement =
            connection.jdbc().prepareStatement("DELETE FROM " + table + " WHERE task = ?")) {
          statement.setString(1, task);
          statement.executeUpdate();
        }
      }
      connection.jdbc().commit();
    } catch (SQLException e) {
      throw server.errors().classify("forget the import of task " + task, e);
    }
  }
}
