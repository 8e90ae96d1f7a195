package dev.sluice.sink.control.validation;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.control.schema.ValidationTables;
import dev.sluice.sink.control.validation.RowFailure.ReadAt;
import dev.sluice.sink.control.validation.ValidationStore.RepairNote;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.control.StoredTime;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * A task's rows of {@code sluice_validation_failures_v2}, in the caller's transaction. Immutable.
 */
final class FailureRows {
  /**
   * How many rows one statement has: on a cluster each statement needs other servers, and may cause
   * a conflict.
   */
  private static final int ROWS_AT_ONCE = 50;

  /** Far below a server's limit for a statement. A larger row has its own statement. */
  private static final long BYTES_AT_ONCE = 256 * 1024;

  private static final String ALL_FAILURES =
      "source_schema, source_table, table_owner, table_name, failure_type, \"key\", source_row,"
          + " target_row, details, source_position, target_position, sessions, pending_since,"
          + " refusal, rejection";

  private final String controlSchema;
  private final String task;
  private final String failures;

  FailureRows(String controlSchema, String task) {
    this.controlSchema = controlSchema;
    this.task = task;
    this.failures = ValidationTables.FAILURES.in(controlSchema);
  }

  /** The rows that differ, the oldest first; those that were repaired are not among them. */
  List<RowFailure> read(TargetConnection connection) throws SQLException {
    List<RowFailure> all = new ArrayList<>();
    if (!ValidationTables.FAILURES.isIn(connection, controlSchema)) {
      return all;
    }
    try (PreparedStatement statement =
        connection
            .jdbc()
            .prepareStatement(
                "SELECT "
                    + ALL_FAILURES
                    + " FROM "
                    + failures
                    + " WHERE task_name = ? AND resync_result IS NULL ORDER BY id")) {
      statement.setString(1, task);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          all.add(failureOf(row));
        }
      }
    }
    return all;
  }

  /** Deletes every row of the task; returns whether there was one. */
  boolean deleteAll(TargetConnection connection) throws SQLException {
    if (!ValidationTables.FAILURES.isIn(connection, controlSchema)) {
      return false;
    }
    try (PreparedStatement statement =
        connection.jdbc().prepareStatement("DELETE FROM " + failures + " WHERE task_name = ?")) {
      statement.setString(1, task);
      return statement.executeUpdate() > 0;
    }
  }

  /** Lists rows of a table, in place of what was listed with their keys. */
  void replace(TargetConnection connection, TableId table, List<RowFailure> found)
      throws SQLException {
    delete(connection, table, found.stream().map(RowFailure::key).toList());
    insert(connection, found);
  }

  void delete(TargetConnection connection, TableId table, List<String> keys) throws SQLException {
    if (keys.isEmpty()) {
      return;
    }
    String list = String.join(", ", Collections.nCopies(ROWS_AT_ONCE, "?"));
    try (PreparedStatement statement =
        connection
            .jdbc()
            .prepareStatement(
                "DELETE FROM "
                    + failures
                    + " WHERE task_name = ? AND source_schema = ? AND source_table = ?"
                    + " AND key_hash IN (%s) AND resync_result IS NULL".formatted(list))) {
      for (int from = 0; from < keys.size(); from += ROWS_AT_ONCE) {
        statement.setString(1, task);
        statement.setString(2, table.schema());
        statement.setString(3, table.name());
        for (int i = 0; i < ROWS_AT_ONCE; i++) {
          // The last key fills the list.
          statement.setString(4 + i, hashOf(keys.get(Math.min(from + i, keys.size() - 1))));
        }
        statement.addBatch();
      }
      statement.executeBatch();
    }
  }

  /**
   * Notes that rows were repaired: in the listed row of the same key, or in a new one if there is
   * none.
   *
   * @param id of the repair
   */
  void repaired(TargetConnection connection, List<RepairNote> notes, String id)
      throws SQLException {
    int[] noted = noteListed(connection, notes, id);
    for (int i = 0; i < noted.length; i++) {
      if (noted[i] == 0) {
        insert(connection, List.of(notes.get(i).row()));
        if (noteListed(connection, List.of(notes.get(i)), id)[0] != 1) {
          throw new IllegalStateException("BUG: a repaired row is not noted once");
        }
      }
    }
  }

  private int[] noteListed(TargetConnection connection, List<RepairNote> notes, String id)
      throws SQLException {
    if (notes.isEmpty()) {
      return new int[0];
    }
    try (PreparedStatement statement =
        connection
            .jdbc()
            .prepareStatement(
                "UPDATE "
                    + failures
                    + " SET resync_result = 'REPAIRED', resync_time = CURRENT_TIMESTAMP,"
                    + " resync_action = ?, resync_id = ?, failure_type = ?, source_row = ?,"
                    + " target_row = ?, details = ?, source_position = ?, target_position = ?"
                    + " WHERE task_name = ? AND source_schema = ? AND source_table = ?"
                    + " AND key_hash = ? AND resync_result IS NULL")) {
      CutText texts = new CutText(connection.dialect().control().longestText());
      for (RepairNote note : notes) {
        RowFailure row = note.row();
        statement.setString(1, note.action());
        statement.setString(2, id);
        statement.setString(3, row.kind().name());
        statement.setString(4, texts.object(row.source().orElse(null)));
        statement.setString(5, texts.object(row.targetRow().orElse(null)));
        statement.setString(6, texts.object(row.differing()));
        statement.setString(7, row.at().source().toString());
        statement.setString(8, row.at().target().toString());
        statement.setString(9, task);
        statement.setString(10, row.table().schema());
        statement.setString(11, row.table().name());
        statement.setString(12, hashOf(row.key()));
        statement.addBatch();
      }
      return statement.executeBatch();
    }
  }

  private void insert(TargetConnection connection, List<RowFailure> found) throws SQLException {
    List<RowFailure> rows = new ArrayList<>();
    long bytes = 0;
    for (RowFailure row : found) {
      long more = NoteSize.of(row);
      if (rows.size() == ROWS_AT_ONCE || !rows.isEmpty() && bytes + more > BYTES_AT_ONCE) {
        insertAtOnce(connection, rows);
        rows.clear();
        bytes = 0;
      }
      rows.add(row);
      bytes += more;
    }
    if (!rows.isEmpty()) {
      insertAtOnce(connection, rows);
    }
  }

  private void insertAtOnce(TargetConnection connection, List<RowFailure> rows)
      throws SQLException {
    String row = "(?, 'Row', " + String.join(", ", Collections.nCopies(16, "?")) + ")";
    try (PreparedStatement statement =
        connection
            .jdbc()
            .prepareStatement(
                "INSERT INTO "
                    + failures
                    + " (task_name, key_type, "
                    + ALL_FAILURES
                    + ", key_hash) VALUES "
                    + String.join(", ", Collections.nCopies(rows.size(), row)))) {
      CutText texts = new CutText(connection.dialect().control().longestText());
      int parameter = 1;
      for (RowFailure failure : rows) {
        statement.setString(parameter++, task);
        statement.setString(parameter++, failure.table().schema());
        statement.setString(parameter++, failure.table().name());
        statement.setString(parameter++, failure.target().schema());
        statement.setString(parameter++, failure.target().name());
        statement.setString(parameter++, failure.kind().name());
        statement.setString(parameter++, failure.key());
        statement.setString(parameter++, texts.object(failure.source().orElse(null)));
        statement.setString(parameter++, texts.object(failure.targetRow().orElse(null)));
        statement.setString(parameter++, texts.object(failure.differing()));
        statement.setString(parameter++, failure.at().source().toString());
        statement.setString(parameter++, failure.at().target().toString());
        statement.setInt(parameter++, failure.sessions());
        statement.setObject(
            parameter++,
            failure.pendingSince().map(at -> at.atOffset(ZoneOffset.UTC)).orElse(null));
        statement.setString(parameter++, texts.words(failure.refusal().orElse(null)));
        statement.setString(parameter++, texts.words(failure.rejection().orElse(null)));
        statement.setString(parameter++, hashOf(failure.key()));
      }
      statement.executeUpdate();
    }
  }

  /** Replaces the key in searches: a long key is too large for an index. */
  static String hashOf(String key) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("BUG: every Java has SHA-256", e);
    }
  }

  private static RowFailure failureOf(ResultSet row) throws SQLException {
    return new RowFailure(
        new TableId(row.getString(1), row.getString(2)),
        new TableId(row.getString(3), row.getString(4)),
        FailureKind.valueOf(row.getString(5)),
        row.getString(6),
        Optional.ofNullable(row.getString(7)),
        Optional.ofNullable(row.getString(8)),
        row.getString(9),
        new ReadAt(Position.parse(row.getString(10)), Position.parse(row.getString(11))),
        row.getInt(12),
        StoredTime.read(row, 13),
        Optional.ofNullable(row.getString(14)),
        Optional.ofNullable(row.getString(15)));
  }
}
