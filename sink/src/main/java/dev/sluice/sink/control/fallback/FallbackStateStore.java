package dev.sluice.sink.control.fallback;

import dev.sluice.config.TableId;
import dev.sluice.sink.control.schema.FallbackTables;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.target.control.ControlStatements;
import dev.sluice.sink.target.control.ControlStatements.Assignment;
import dev.sluice.sink.target.control.ControlStatements.Upsert;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Reads and writes the table {@code fallback_state}, and the table {@code fallback_canary} on the
 * other side. The daemon of the way back writes them. Threadsafe: each call uses its own
 * connection.
 */
public final class FallbackStateStore {
  private final TargetServer server;
  private final String controlSchema;
  private final String task;

  /**
   * @param task whose way back it is; for the canary the task of the way back
   */
  public FallbackStateStore(TargetServer server, String controlSchema, String task) {
    this.server = server;
    this.controlSchema = controlSchema;
    this.task = task;
  }

  /** Writes the state, with the current time of the server. */
  public void write(FallbackState state) {
    try (TargetConnection connection = server.borrow()) {
      ControlStatements control = connection.dialect().control();
      Upsert upsert =
          Upsert.of(
              FallbackTables.STATE.in(controlSchema),
              List.of(
                  "task",
                  "armed",
                  "covered",
                  "round_trip",
                  "problem",
                  "seen",
                  "since",
                  "canary_at"),
              List.of("task"),
              List.of(
                  Assignment.of("armed"),
                  Assignment.to("seen_at", "CURRENT_TIMESTAMP"),
                  Assignment.of("covered"),
                  Assignment.of("round_trip"),
                  Assignment.of("problem"),
                  Assignment.of("seen"),
                  Assignment.of("since"),
                  Assignment.of("canary_at")));
      try (PreparedStatement statement = control.prepareUpsert(connection.jdbc(), upsert)) {
        statement.setString(1, task);
        statement.setObject(2, state.armed());
        control.setTexts(statement, 3, state.covered().stream().map(TableId::quoted).toList());
        if (state.roundTrip().isPresent()) {
          statement.setLong(4, state.roundTrip().get().toMillis());
        } else {
          statement.setNull(4, Types.BIGINT);
        }
        statement.setString(5, state.problem().orElse(null));
        statement.setObject(6, state.seen().orElse(null));
        statement.setObject(7, time(state.since()));
        statement.setObject(8, time(state.canaryAt()));
        statement.executeUpdate();
      }
      connection.jdbc().commit();
    } catch (SQLException e) {
      throw server.errors().classify("write the state of the way back of task " + task, e);
    }
  }

  /** The state as it was written last; empty if it never was, or was removed. */
  public Optional<FallbackState> read() {
    try (TargetConnection connection = server.borrow()) {
      if (!FallbackTables.STATE.isIn(connection, controlSchema)) {
        return Optional.empty();
      }
      ControlStatements control = connection.dialect().control();
      try (PreparedStatement select =
          connection
              .jdbc()
              .prepareStatement(
                  "SELECT armed, seen_at, CURRENT_TIMESTAMP, covered, round_trip, problem,"
                      + " seen, since, canary_at FROM "
                      + FallbackTables.STATE.in(controlSchema)
                      + " WHERE task = ?")) {
        select.setString(1, task);
        try (ResultSet row = select.executeQuery()) {
          if (!row.next()) {
            return Optional.empty();
          }
          long trip = row.getLong(5);
          Optional<Duration> roundTrip =
              row.wasNull() ? Optional.empty() : Optional.of(Duration.ofMillis(trip));
          return Optional.of(
              new FallbackState(
                  row.getObject(1, UUID.class),
                  Duration.between(
                      row.getObject(2, OffsetDateTime.class),
                      row.getObject(3, OffsetDateTime.class)),
                  control.texts(row, 4).stream().map(TableId::parse).toList(),
                  roundTrip,
                  Optional.ofNullable(row.getString(6)),
                  Optional.ofNullable(row.getObject(7, UUID.class)),
                  instant(row.getObject(8, OffsetDateTime.class)),
                  instant(row.getObject(9, OffsetDateTime.class))));
        }
      }
    } catch (SQLException e) {
      throw server.errors().classify("read the state of the way back of task " + task, e);
    }
  }

  private static OffsetDateTime time(Optional<Instant> at) {
    return at.map(instant -> instant.atOffset(ZoneOffset.UTC)).orElse(null);
  }

  private static Optional<Instant> instant(OffsetDateTime at) {
    return Optional.ofNullable(at).map(OffsetDateTime::toInstant);
  }

  /** Removes the state: there is no way back. Does nothing where none is. */
  public boolean remove() {
    try (TargetConnection connection = server.borrow()) {
      if (!FallbackTables.STATE.isIn(connection, controlSchema)) {
        return false;
      }
      try (PreparedStatement delete =
          connection
              .jdbc()
              .prepareStatement(
                  "DELETE FROM " + FallbackTables.STATE.in(controlSchema) + " WHERE task = ?")) {
        delete.setString(1, task);
        boolean any = delete.executeUpdate() > 0;
        connection.commitDurably();
        connection.jdbc().commit();
        return any;
      }
    } catch (SQLException e) {
      throw server.errors().classify("remove the state of the way back of task " + task, e);
    }
  }

  /** Writes that a canary came back to the old source. */
  public void arrived(UUID canary) {
    try (TargetConnection connection = server.borrow()) {
      Upsert upsert =
          Upsert.of(
              FallbackTables.CANARY.in(controlSchema),
              List.of("task", "canary"),
              List.of("task"),
              List.of(Assignment.of("canary"), Assignment.to("at", "CURRENT_TIMESTAMP")));
      try (PreparedStatement statement =
          connection.dialect().control().prepareUpsert(connection.jdbc(), upsert)) {
        statement.setString(1, task);
        statement.setObject(2, canary);
        statement.executeUpdate();
      }
      connection.jdbc().commit();
    } catch (SQLException e) {
      throw server.errors().classify("write the canary of task " + task, e);
    }
  }
}
