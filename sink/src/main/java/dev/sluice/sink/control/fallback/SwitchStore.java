package dev.sluice.sink.control.fallback;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.control.fallback.Switch.State;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.schema.CheckpointStore;
import dev.sluice.sink.control.schema.FallbackTables;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Reads and writes the table {@code fallback_switch}. Only the task writes it, under its epoch; its
 * way back reads it. Threadsafe: each call uses its own connection, and its writes are durable when
 * it returns.
 */
public final class SwitchStore {
  private final TargetServer server;
  private final String controlSchema;
  private final String task;
  private final String table;

  /**
   * @param server the task's target
   */
  public SwitchStore(TargetServer server, String controlSchema, String task) {
    this.server = server;
    this.controlSchema = controlSchema;
    this.task = task;
    this.table = FallbackTables.SWITCH.in(controlSchema);
  }

  /** Announces a cutover; all earlier ones of the task, which failed, are void. */
  public void announce(Checkpoint claimed, UUID cutover) {
    change(
        claimed,
        "announce cutover " + cutover,
        connection -> {
          voidAll(connection);
          try (PreparedStatement insert =
              connection
                  .jdbc()
                  .prepareStatement(
                      "INSERT INTO " + table + " (task, cutover, state) VALUES (?, ?, ?)")) {
            insert.setString(1, task);
            insert.setObject(2, cutover);
            insert.setString(3, State.ANNOUNCED.text());
            insert.executeUpdate();
          }
        });
  }

  /**
   * Sets the position of the switch to the present end of the target's log. All that the task has
   * committed there is before it; the caller makes sure that nobody else writes.
   */
  public void place(Checkpoint claimed, UUID cutover) {
    change(
        claimed,
        "note the position of cutover " + cutover,
        connection -> {
          try (PreparedStatement update =
              connection
                  .jdbc()
                  .prepareStatement(
                      "UPDATE %s SET state = ?, position = (%s), at = CURRENT_TIMESTAMP WHERE task = ? AND cutover = ?"
                          .formatted(table, connection.dialect().control().endOfLog()))) {
            update.setString(1, State.PLACED.text());
            update.setString(2, task);
            update.setObject(3, cutover);
            if (update.executeUpdate() != 1) {
              throw new SluiceException.Fatal(
                  new Problem(
                      "way back of task " + task,
                      "it was removed while cutover " + cutover + " ran",
                      "the same way back from the beginning to the end",
                      "Arm it again, and run sluice cutover again"));
            }
          }
        });
  }

  /**
   * The way back may begin: this task writes and reads nothing any more.
   *
   * @return false if it was removed meanwhile
   */
  public boolean release(Checkpoint claimed, UUID cutover) {
    AtomicBoolean released = new AtomicBoolean();
    change(
        claimed,
        "release the way back of cutover " + cutover,
        connection -> {
          try (PreparedStatement update =
              connection
                  .jdbc()
                  .prepareStatement(
                      "UPDATE "
                          + table
                          + " SET state = ?, at = CURRENT_TIMESTAMP"
                          + " WHERE task = ? AND cutover = ? AND state <> ?")) {
            update.setString(1, State.RELEASED.text());
            update.setString(2, task);
            update.setObject(3, cutover);
            update.setString(4, State.VOID.text());
            released.set(update.executeUpdate() == 1);
          }
        });
    return released.get();
  }

  /** No cutover of the task was decided. */
  public void voidAll(Checkpoint claimed) {
    if (open().isPresent()) {
      change(claimed, "note that no cutover was decided", this::voidAll);
    }
  }

  /** Forgets all cutovers of the task: there is no way back any more. */
  public void removeAll() {
    try (TargetConnection connection = server.borrow()) {
      if (!FallbackTables.SWITCH.isIn(connection, controlSchema)) {
        return;
      }
      try (PreparedStatement delete =
          connection.jdbc().prepareStatement("DELETE FROM " + table + " WHERE task = ?")) {
        delete.setString(1, task);
        delete.executeUpdate();
      }
      connection.commitDurably();
      connection.jdbc().commit();
    } catch (SQLException e) {
      throw server.errors().classify("forget the cutovers of task " + task, e);
    }
  }

  private void voidAll(TargetConnection connection) throws SQLException {
    try (PreparedStatement update =
        connection
            .jdbc()
            .prepareStatement("UPDATE " + table + " SET state = ? WHERE task = ? AND state <> ?")) {
      update.setString(1, State.VOID.text());
      update.setString(2, task);
      // A way back that may have begun goes on.
      update.setString(3, State.RELEASED.text());
      update.executeUpdate();
    }
  }

  private void change(Checkpoint claimed, String attempted, CheckpointStore.Change change) {
    new CheckpointStore(server, controlSchema).change(claimed, attempted, change);
  }

  /** The cutover that may have been decided; empty if there is none. */
  public Optional<Switch> open() {
    List<Switch> open = all().stream().filter(Switch::isOpen).toList();
    return open.isEmpty() ? Optional.empty() : Optional.of(open.get(0));
  }

  private List<Switch> all() {
    try (TargetConnection connection = server.borrow()) {
      List<Switch> switches = new ArrayList<>();
      if (!FallbackTables.SWITCH.isIn(connection, controlSchema)) {
        return switches;
      }
      try (PreparedStatement select =
          connection
              .jdbc()
              .prepareStatement(
                  "SELECT cutover, state, position FROM "
                      + table
                      + " WHERE task = ? ORDER BY at DESC")) {
        select.setString(1, task);
        try (ResultSet row = select.executeQuery()) {
          while (row.next()) {
            switches.add(
                new Switch(
                    row.getObject(1, UUID.class),
                    State.parse(row.getString(2)),
                    Optional.ofNullable(row.getString(3)).map(Position::parse)));
          }
        }
      }
      return switches;
    } catch (SQLException e) {
      throw server.errors().classify("read the cutovers of task " + task, e);
    }
  }
}
