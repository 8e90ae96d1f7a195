package dev.sluice.sink.control.validation;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.schema.CheckpointStore;
import dev.sluice.sink.control.schema.ValidationTables;
import dev.sluice.sink.control.validation.RowFailure.ReadAt;
import dev.sluice.sink.control.validation.TableCoverage.CompletePass;
import dev.sluice.sink.control.validation.TableCoverage.RunningPass;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The coverage of the tables and the rows that differ, as they are stored on the target. Every
 * write is one durable transaction under the epoch, so that a daemon that lost the task proves
 * nothing any more. Threadsafe: each call uses its own connection.
 */
public final class ValidationStore {
  private static final String ALL_FAILURES =
      "source_schema, source_table, table_owner, table_name, failure_type, \"key\", source_row,"
          + " target_row, details, source_position, target_position, sessions, pending_since";

  private final TargetServer server;
  private final CheckpointStore checkpoints;
  private final String controlSchema;
  private final String task;
  private final String coverage;
  private final String failures;

  public ValidationStore(TargetServer server, String controlSchema, String task) {
    this.server = server;
    this.checkpoints = new CheckpointStore(server, controlSchema);
    this.controlSchema = controlSchema;
    this.task = task;
    this.coverage = ValidationTables.COVERAGE.in(controlSchema);
    this.failures = ValidationTables.FAILURES.in(controlSchema);
  }

  /**
   * What a session of one table has found.
   *
   * @param now the coverage after the session
   * @param found rows that differ, new or seen again
   * @param equal the keys of listed rows that the session found equal, or gone on both sides
   */
  public record Outcome(TableCoverage now, List<RowFailure> found, List<String> equal) {
    public Outcome {
      found = List.copyOf(found);
      equal = List.copyOf(equal);
    }
  }

  /** The coverage of all tables. */
  public Map<TableId, TableCoverage> coverage() {
    Map<TableId, TableCoverage> all = new TreeMap<>();
    try (TargetConnection connection = server.borrow()) {
      if (!ValidationTables.COVERAGE.isIn(connection, controlSchema)) {
        return all;
      }
      try (PreparedStatement statement =
          connection
              .jdbc()
              .prepareStatement(
                  "SELECT source_schema, source_table, shape, pass_began_at, pass_position,"
                      + " pass_rows, pass_next, read_at, read_position, read_rows, suspended FROM "
                      + coverage
                      + " WHERE task = ?")) {
        statement.setString(1, task);
        try (ResultSet row = statement.executeQuery()) {
          while (row.next()) {
            TableCoverage table = coverageOf(row);
            all.put(table.table(), table);
          }
        }
      }
      return all;
    } catch (SQLException e) {
      throw server.errors().classify("read what was validated", e);
    }
  }

  /** The rows that differ, the oldest first. */
  public List<RowFailure> failures() {
    List<RowFailure> all = new ArrayList<>();
    try (TargetConnection connection = server.borrow()) {
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
    } catch (SQLException e) {
      throw server.errors().classify("read which rows differ", e);
    }
  }

  /**
   * Stores what a session has found, in one durable transaction.
   *
   * @param claimed the claim of this daemon
   * @throws dev.sluice.config.document.SluiceException.Fenced if another daemon claimed the task
   */
  public void store(Checkpoint claimed, List<Outcome> session) {
    checkpoints.change(
        claimed,
        "store what was validated",
        connection -> {
          for (Outcome table : session) {
            write(connection, claimed, table.now());
            delete(connection, table.now().table(), table.equal());
            delete(
                connection,
                table.now().table(),
                table.found().stream().map(RowFailure::key).toList());
            insert(connection, table.found());
          }
        });
  }

  /**
   * The note of a repaired row.
   *
   * @param action by DMS's name
   * @param before the complete row that the target had, as JSON; empty if it had none
   */
  public record RepairNote(String action, Optional<String> before) {}

  /**
   * Notes in the open transaction that listed rows were repaired. They stay listed with both images
   * as the record of it.
   *
   * @param notes what was done, by the rows' keys
   * @param id of the repair
   */
  public void repaired(
      TargetConnection connection, TableId table, Map<String, RepairNote> notes, String id)
      throws SQLException {
    try (PreparedStatement statement =
        connection
            .jdbc()
            .prepareStatement(
                "UPDATE "
                    + failures
                    + " SET resync_result = 'REPAIRED', resync_time = CURRENT_TIMESTAMP,"
                    + " resync_action = ?, resync_id = ?, target_row = ?"
                    + " WHERE task_name = ? AND source_schema = ? AND source_table = ?"
                    + " AND key_hash = ? AND \"key\" = ? AND resync_result IS NULL")) {
      for (Map.Entry<String, RepairNote> note : notes.entrySet()) {
        statement.setString(1, note.getValue().action());
        statement.setString(2, id);
        statement.setString(3, note.getValue().before().orElse(null));
        statement.setString(4, task);
        statement.setString(5, table.schema());
        statement.setString(6, table.name());
        statement.setString(7, hashOf(note.getKey()));
        statement.setString(8, note.getKey());
        statement.addBatch();
      }
      statement.executeBatch();
    }
  }

  private void write(TargetConnection connection, Checkpoint claimed, TableCoverage table)
      throws SQLException {
    try (PreparedStatement delete =
            connection
                .jdbc()
                .prepareStatement(
                    "DELETE FROM "
                        + coverage
                        + " WHERE task = ? AND source_schema = ? AND source_table = ?");
        PreparedStatement insert =
            connection
                .jdbc()
                .prepareStatement(
                    "INSERT INTO "
                        + coverage
                        + " (task, source_schema, source_table, shape, source_system,"
                        + " source_timeline, pass_began_at, pass_position, pass_rows, pass_next,"
                        + " read_at, read_position, read_rows, suspended)"
                        + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")) {
      delete.setString(1, task);
      delete.setString(2, table.table().schema());
      delete.setString(3, table.table().name());
      delete.executeUpdate();
      insert.setString(1, task);
      insert.setString(2, table.table().schema());
      insert.setString(3, table.table().name());
      insert.setString(4, table.shape());
      insert.setString(5, claimed.source().map(server -> server.systemIdentifier()).orElse(""));
      insert.setInt(6, claimed.source().map(server -> server.timeline()).orElse(0));
      insert.setObject(7, table.running().map(pass -> utc(pass.beganAt())).orElse(null));
      insert.setString(8, table.running().map(pass -> pass.position().toString()).orElse(null));
      insert.setLong(9, table.running().map(RunningPass::rows).orElse(0L));
      insert.setString(10, table.running().map(RunningPass::next).orElse(null));
      insert.setObject(11, table.complete().map(pass -> utc(pass.at())).orElse(null));
      insert.setString(12, table.complete().map(pass -> pass.position().toString()).orElse(null));
      insert.setLong(13, table.complete().map(CompletePass::rows).orElse(0L));
      insert.setString(14, table.suspended());
      insert.executeUpdate();
    }
  }

  private void delete(TargetConnection connection, TableId table, List<String> keys)
      throws SQLException {
    if (keys.isEmpty()) {
      return;
    }
    try (PreparedStatement statement =
        connection
            .jdbc()
            .prepareStatement(
                "DELETE FROM "
                    + failures
                    + " WHERE task_name = ? AND source_schema = ? AND source_table = ?"
                    + " AND key_hash = ? AND \"key\" = ? AND resync_result IS NULL")) {
      for (String key : keys) {
        statement.setString(1, task);
        statement.setString(2, table.schema());
        statement.setString(3, table.name());
        statement.setString(4, hashOf(key));
        statement.setString(5, key);
        statement.addBatch();
      }
      statement.executeBatch();
    }
  }

  private void insert(TargetConnection connection, List<RowFailure> found) throws SQLException {
    if (found.isEmpty()) {
      return;
    }
    try (PreparedStatement statement =
        connection
            .jdbc()
            .prepareStatement(
                "INSERT INTO "
                    + failures
                    + " (task_name, key_type, "
                    + ALL_FAILURES
                    + ", key_hash) VALUES (?, 'Row', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")) {
      for (RowFailure failure : found) {
        statement.setString(1, task);
        statement.setString(2, failure.table().schema());
        statement.setString(3, failure.table().name());
        statement.setString(4, failure.target().schema());
        statement.setString(5, failure.target().name());
        statement.setString(6, failure.kind().name());
        statement.setString(7, failure.key());
        statement.setString(8, failure.source().orElse(null));
        statement.setString(9, failure.targetRow().orElse(null));
        statement.setString(10, failure.differing());
        statement.setString(11, failure.at().source().toString());
        statement.setString(12, failure.at().target().toString());
        statement.setInt(13, failure.sessions());
        statement.setObject(14, failure.pendingSince().map(ValidationStore::utc).orElse(null));
        statement.setString(15, hashOf(failure.key()));
        statement.addBatch();
      }
      statement.executeBatch();
    }
  }

  /** A long key is too large for an index. */
  private static String hashOf(String key) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("BUG: every Java has SHA-256", e);
    }
  }

  private static OffsetDateTime utc(Instant at) {
    return at.atOffset(ZoneOffset.UTC);
  }

  private static Optional<Instant> instant(ResultSet row, int column) throws SQLException {
    return Optional.ofNullable(row.getObject(column, OffsetDateTime.class))
        .map(OffsetDateTime::toInstant);
  }

  private static TableCoverage coverageOf(ResultSet row) throws SQLException {
    Optional<RunningPass> running = Optional.empty();
    if (row.getString(7) != null) {
      running =
          Optional.of(
              new RunningPass(
                  instant(row, 4).orElseThrow(),
                  Position.parse(row.getString(5)),
                  row.getLong(6),
                  row.getString(7)));
    }
    Optional<CompletePass> complete = Optional.empty();
    if (row.getString(9) != null) {
      complete =
          Optional.of(
              new CompletePass(
                  instant(row, 8).orElseThrow(),
                  Position.parse(row.getString(9)),
                  row.getLong(10)));
    }
    return new TableCoverage(
        new TableId(row.getString(1), row.getString(2)),
        row.getString(3),
        running,
        complete,
        row.getString(11));
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
        instant(row, 13));
  }
}
