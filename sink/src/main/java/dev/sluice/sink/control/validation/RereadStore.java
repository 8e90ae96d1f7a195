package dev.sluice.sink.control.validation;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.schema.Checkpoint.SourceServer;
import dev.sluice.sink.control.schema.CheckpointStore;
import dev.sluice.sink.control.schema.OffsetColumns;
import dev.sluice.sink.control.schema.ProgressTables;
import dev.sluice.sink.control.schema.RereadMarks;
import dev.sluice.sink.control.schema.ValidationTables;
import dev.sluice.sink.control.validation.RereadPoint.JournalState;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Stores from where a start reads the keys of the journal again, and which tables are followed: the
 * table {@code validation_journal} and two columns of {@code validation_table}. Both are written in
 * one durable transaction under the epoch. A table counts only if it has the epoch of that offset:
 * tables that a later daemon does not follow have an older one. Threadsafe: each call uses its own
 * connection.
 */
public final class RereadStore {
  private final TargetServer server;
  private final CheckpointStore checkpoints;
  private final String controlSchema;
  private final String task;
  private final String journal;
  private final String coverage;

  public RereadStore(TargetServer server, String controlSchema, String task) {
    this.server = server;
    this.checkpoints = new CheckpointStore(server, controlSchema);
    this.controlSchema = controlSchema;
    this.task = task;
    this.journal = ValidationTables.REREAD.in(controlSchema);
    this.coverage = ValidationTables.COVERAGE.in(controlSchema);
  }

  /** What is stored; empty if nothing is, or if it was voided. */
  public Optional<RereadPoint> read() {
    try (TargetConnection connection = server.borrow()) {
      if (!ValidationTables.REREAD.isIn(connection, controlSchema)) {
        return Optional.empty();
      }
      try (PreparedStatement statement =
          connection
              .jdbc()
              .prepareStatement(
                  "SELECT "
                      + OffsetColumns.READ
                      + ", journal_topic_id, source_system, source_timeline, lanes, epoch FROM "
                      + journal
                      + " WHERE task = ?")) {
        statement.setString(1, task);
        try (ResultSet row = statement.executeQuery()) {
          if (!row.next()) {
            return Optional.empty();
          }
          return Optional.of(
              new RereadPoint(
                  OffsetColumns.read(row, 1),
                  new JournalState(
                      row.getString(5),
                      new SourceServer(row.getString(6), row.getInt(7)),
                      row.getInt(8)),
                  tables(connection, row.getLong(9))));
        }
      }
    } catch (SQLException e) {
      throw server.errors().classify("read which tables are followed", e);
    }
  }

  private Map<TableId, Position> tables(TargetConnection connection, long epoch)
      throws SQLException {
    Map<TableId, Position> tables = new HashMap<>();
    try (PreparedStatement statement =
        connection
            .jdbc()
            .prepareStatement(
                "SELECT source_schema, source_table, followed_from FROM "
                    + coverage
                    + " WHERE task = ? AND followed_epoch = ? AND followed_from IS NOT NULL")) {
      statement.setString(1, task);
      statement.setLong(2, epoch);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          tables.put(
              new TableId(row.getString(1), row.getString(2)), Position.parse(row.getString(3)));
        }
      }
    }
    return tables;
  }

  /**
   * Stores a place and what has changed of the tables.
   *
   * @param claimed the claim of this daemon
   * @param changed from where tables are followed; empty for one that is not
   * @param stillTrue asked of each followed table in the transaction, after what voids it would
   *     wait for the transaction's end
   * @return the tables that are stored as they are given
   * @throws dev.sluice.config.document.SluiceException.Fenced if another daemon claimed the task
   */
  public Set<TableId> store(
      Checkpoint claimed,
      JournalOffset from,
      JournalState state,
      Map<TableId, Optional<Position>> changed,
      Predicate<TableId> stillTrue) {
    Set<TableId> stored = new HashSet<>();
    checkpoints.change(
        claimed,
        "store which tables are followed",
        connection -> {
          stored.clear();
          write(connection, claimed, from, state);
          for (Map.Entry<TableId, Optional<Position>> table : new TreeMap<>(changed).entrySet()) {
            if (write(connection, claimed, table.getKey(), table.getValue())) {
              if (table.getValue().isPresent() && !stillTrue.test(table.getKey())) {
                write(connection, claimed, table.getKey(), Optional.empty());
              } else {
                stored.add(table.getKey());
              }
            }
          }
        });
    return stored;
  }

  /** Nothing that is stored counts any more. */
  public void forget(Checkpoint claimed) {
    checkpoints.change(
        claimed,
        "forget which tables were followed",
        connection -> RereadMarks.voidTask(connection, controlSchema, task));
  }

  /** Nothing that is stored of these tables counts any more. */
  public void forget(Checkpoint claimed, Collection<TableId> tables) {
    checkpoints.change(
        claimed,
        "forget which tables were followed",
        connection -> RereadMarks.voidTables(connection, controlSchema, task, tables));
  }

  private void write(
      TargetConnection connection, Checkpoint claimed, JournalOffset from, JournalState state)
      throws SQLException {
    try (PreparedStatement delete =
            connection.jdbc().prepareStatement("DELETE FROM " + journal + " WHERE task = ?");
        PreparedStatement insert =
            connection
                .jdbc()
                .prepareStatement(
                    "INSERT INTO "
                        + journal
                        + " (position, journal_term, journal_transaction, next_offset,"
                        + " journal_topic_id, source_system, source_timeline, lanes, epoch, task)"
                        + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")) {
      delete.setString(1, task);
      delete.executeUpdate();
      OffsetColumns.set(insert, 1, from);
      insert.setString(5, state.topicId());
      insert.setString(6, state.source().systemIdentifier());
      insert.setInt(7, state.source().timeline());
      insert.setInt(8, state.lanes());
      insert.setLong(9, claimed.epoch());
      insert.setString(10, task);
      insert.executeUpdate();
    }
  }

  /** A table that is suspended meanwhile is not written: its rows are about to change. */
  private boolean write(
      TargetConnection connection, Checkpoint claimed, TableId table, Optional<Position> from)
      throws SQLException {
    try (PreparedStatement statement =
        connection
            .jdbc()
            .prepareStatement(
                "UPDATE "
                    + coverage
                    + " SET followed_from = ?, followed_epoch = ?"
                    + " WHERE task = ? AND source_schema = ? AND source_table = ?"
                    + " AND NOT EXISTS (SELECT 1 FROM "
                    + ProgressTables.SUSPENDED.in(controlSchema)
                    + " s WHERE s.task_name = ? AND s.source_schema = ? AND s.source_table = ?)")) {
      statement.setString(1, from.map(Position::toString).orElse(null));
      statement.setObject(2, from.isPresent() ? claimed.epoch() : null);
      for (int at = 3; at <= 6; at += 3) {
        statement.setString(at, task);
        statement.setString(at + 1, table.schema());
        statement.setString(at + 2, table.name());
      }
      return statement.executeUpdate() > 0;
    }
  }
}
