package dev.sluice.sink.control.validation;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.schema.CheckpointStore;
import dev.sluice.sink.control.schema.ProgressTables;
import dev.sluice.sink.control.schema.RereadMarks;
import dev.sluice.sink.control.schema.ValidationTables;
import dev.sluice.sink.control.validation.TableCoverage.CompletePass;
import dev.sluice.sink.control.validation.TableCoverage.RunningPass;
import dev.sluice.sink.target.StatementLimit;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.target.control.StoredTime;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Comparator;
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
  private final TargetServer server;
  private final CheckpointStore checkpoints;
  private final String controlSchema;
  private final String task;
  private final String coverage;
  private final FailureRows rows;

  public ValidationStore(TargetServer server, String controlSchema, String task) {
    this.server = server;
    this.checkpoints = new CheckpointStore(server, controlSchema);
    this.controlSchema = controlSchema;
    this.task = task;
    this.coverage = ValidationTables.COVERAGE.in(controlSchema);
    this.rows = new FailureRows(controlSchema, task);
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

  /**
   * The coverage of all tables. What was read of another server's log, or on another timeline, does
   * not count: its positions say nothing of the log that the checkpoint belongs to.
   */
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
                      + " pass_rows, pass_next, read_at, read_position, read_rows, suspended,"
                      + " CASE WHEN EXISTS (SELECT 1 FROM "
                      + ProgressTables.CHECKPOINT.in(controlSchema)
                      + " c WHERE c.task = v.task"
                      + " AND COALESCE(c.source_system, '') = v.source_system"
                      + " AND COALESCE(c.source_timeline, 0) = v.source_timeline)"
                      + " THEN 1 ELSE 0 END FROM "
                      + coverage
                      + " v WHERE v.task = ?")) {
        statement.setString(1, task);
        try (ResultSet row = statement.executeQuery()) {
          while (row.next()) {
            TableCoverage table = coverageOf(row);
            boolean ofThisLog = row.getInt(12) == 1;
            all.put(table.table(), ofThisLog ? table : table.voided(table.shape()));
          }
        }
      }
      return all;
    } catch (SQLException e) {
      throw server.errors().classify("read what was validated", e);
    }
  }

  /**
   * Forgets in the open transaction what was read of all tables: the source may have been set back,
   * and write the same positions a second time.
   */
  public void forgetPasses(TargetConnection connection) throws SQLException {
    try (PreparedStatement statement =
        connection
            .jdbc()
            .prepareStatement(
                "UPDATE "
                    + coverage
                    + " SET pass_began_at = NULL, pass_position = NULL, pass_rows = 0,"
                    + " pass_next = NULL, read_at = NULL, read_position = NULL, read_rows = 0,"
                    + " followed_from = NULL, followed_epoch = NULL"
                    + " WHERE task = ?")) {
      statement.setString(1, task);
      statement.executeUpdate();
    }
  }

  /** The rows that differ, the oldest first. */
  public List<RowFailure> failures() {
    try (TargetConnection connection = server.borrow()) {
      return rows.read(connection);
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
          // In one order, as others write several of these rows in a transaction, too.
          for (Outcome table : sorted(session)) {
            write(connection, claimed, table.now());
            rows.delete(connection, table.now().table(), table.equal());
            rows.replace(connection, table.now().table(), table.found());
          }
        });
  }

  /**
   * Lists rows of a table, in place of what was listed with their keys, in one durable transaction.
   *
   * @param claimed the claim of this daemon
   * @throws dev.sluice.config.document.SluiceException.Fenced if another daemon claimed the task
   */
  public void list(Checkpoint claimed, TableId table, List<RowFailure> found) {
    checkpoints.change(
        claimed, "list which rows differ", connection -> rows.replace(connection, table, found));
  }

  private static List<Outcome> sorted(List<Outcome> session) {
    return session.stream().sorted(Comparator.comparing(table -> table.now().table())).toList();
  }

  /**
   * The note of a repaired row.
   *
   * @param row with the complete rows that the repair has read on both sides
   * @param action by DMS's name
   */
  public record RepairNote(RowFailure row, String action) {}

  /**
   * Requires that the target takes the notes of repaired rows.
   *
   * @throws SluiceException.Data if one is larger than a statement may be
   */
  public void requireRoom(TargetConnection connection, List<RepairNote> notes) throws SQLException {
    Optional<StatementLimit> limit = connection.statementLimit();
    if (limit.isPresent()) {
      notes.forEach(note -> NoteSize.requireWithin(limit.get(), note.row()));
    }
  }

  /**
   * Notes in the open transaction that rows were repaired, one for each. Listed rows stay listed as
   * the record of it; a row that is not listed is added.
   *
   * @param notes of rows of the table
   * @param id of the repair
   */
  public void repaired(
      TargetConnection connection, TableId table, List<RepairNote> notes, String id)
      throws SQLException {
    rows.repaired(connection, notes, id);
    // The next session proves them; after a start in between nobody would look at them again.
    RereadMarks.voidTables(connection, controlSchema, task, List.of(table));
  }

  private void write(TargetConnection connection, Checkpoint claimed, TableCoverage table)
      throws SQLException {
    // A row that is there keeps from where it is followed.
    try (PreparedStatement update =
            connection
                .jdbc()
                .prepareStatement(
                    "UPDATE "
                        + coverage
                        + " SET shape = ?, source_system = ?, source_timeline = ?,"
                        + " pass_began_at = ?, pass_position = ?, pass_rows = ?, pass_next = ?,"
                        + " read_at = ?, read_position = ?, read_rows = ?, suspended = ?,"
                        + " updated_at = CURRENT_TIMESTAMP"
                        + " WHERE task = ? AND source_schema = ? AND source_table = ?");
        PreparedStatement insert =
            connection
                .jdbc()
                .prepareStatement(
                    "INSERT INTO "
                        + coverage
                        + " (shape, source_system, source_timeline, pass_began_at, pass_position,"
                        + " pass_rows, pass_next, read_at, read_position, read_rows, suspended,"
                        + " task, source_schema, source_table)"
                        + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")) {
      set(update, claimed, table);
      if (update.executeUpdate() == 0) {
        set(insert, claimed, table);
        insert.executeUpdate();
      }
    }
  }

  private void set(PreparedStatement statement, Checkpoint claimed, TableCoverage table)
      throws SQLException {
    statement.setString(1, table.shape());
    statement.setString(2, claimed.source().map(server -> server.systemIdentifier()).orElse(""));
    statement.setInt(3, claimed.source().map(server -> server.timeline()).orElse(0));
    statement.setObject(4, table.running().map(pass -> utc(pass.beganAt())).orElse(null));
    statement.setString(5, table.running().map(pass -> pass.position().toString()).orElse(null));
    statement.setLong(6, table.running().map(RunningPass::rows).orElse(0L));
    statement.setString(7, table.running().map(RunningPass::next).orElse(null));
    statement.setObject(8, table.complete().map(pass -> utc(pass.at())).orElse(null));
    statement.setString(9, table.complete().map(pass -> pass.position().toString()).orElse(null));
    statement.setLong(10, table.complete().map(CompletePass::rows).orElse(0L));
    statement.setString(11, table.suspended());
    statement.setString(12, task);
    statement.setString(13, table.table().schema());
    statement.setString(14, table.table().name());
  }

  private static OffsetDateTime utc(Instant at) {
    return at.atOffset(ZoneOffset.UTC);
  }

  private static Optional<Instant> instant(ResultSet row, int column) throws SQLException {
    return StoredTime.read(row, column);
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
}
