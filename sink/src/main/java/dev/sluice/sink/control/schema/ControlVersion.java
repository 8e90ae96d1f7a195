package dev.sluice.sink.control.schema;

import static dev.sluice.sink.target.control.ControlColumn.now;
import static dev.sluice.sink.target.control.ControlColumn.required;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.target.control.ControlType;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/**
 * The version of the control schema: what its tables and their rows mean. A newer one than this
 * Sluice knows is refused, before anything is read or written. Stateless.
 *
 * <p>Schemas from before there were versions have version 0.
 */
public final class ControlVersion {

  /**
   * The version that this Sluice reads and writes. It rises with each change after which an earlier
   * Sluice would read the tables wrongly or could not write them; {@link ControlSchema#create}
   * makes the change.
   */
  static final int CURRENT = 1;

  /** One row for each version that the schema has had. The highest one is in effect. */
  static final ControlTable TABLE =
      ControlTable.of(
          "control_version",
          List.of("version"),
          required("version", ControlType.INTEGER),
          required("written_by", ControlType.TEXT),
          now("at"));

  private ControlVersion() {}

  /**
   * The problem that the control schema is of a newer version; empty if it is readable or missing.
   *
   * @throws SluiceException if the target does not answer
   */
  public static Optional<Problem> problem(TargetServer server, String schema) {
    try (TargetConnection connection = server.borrow()) {
      return problem(connection, schema);
    } catch (SQLException e) {
      throw server.errors().classify("read the version of the control schema " + schema, e);
    }
  }

  /**
   * The same as a failure.
   *
   * @throws SluiceException.Fatal if the control schema is of a newer version
   */
  public static void require(TargetServer server, String schema) {
    refuse(problem(server, schema));
  }

  static void require(TargetConnection connection, String schema) throws SQLException {
    refuse(problem(connection, schema));
  }

  private static void refuse(Optional<Problem> problem) {
    problem.ifPresent(
        newer -> {
          throw new SluiceException.Fatal(newer);
        });
  }

  /** Whether the schema is of an earlier version, or has none. */
  static boolean isOldIn(TargetConnection connection, String schema) throws SQLException {
    return read(connection, schema).isEmpty();
  }

  /** Notes in the open transaction that the schema is of this version now. */
  static void write(TargetConnection connection, String schema) throws SQLException {
    if (!TABLE.isIn(connection, schema)) {
      TABLE.createIn(connection, schema);
    }
    try (PreparedStatement statement =
        connection
            .jdbc()
            .prepareStatement(
                "INSERT INTO " + TABLE.in(schema) + " (version, written_by) VALUES (?, ?)")) {
      statement.setInt(1, CURRENT);
      statement.setString(2, release());
      statement.executeUpdate();
    }
  }

  private static Optional<Problem> problem(TargetConnection connection, String schema)
      throws SQLException {
    return read(connection, schema)
        .filter(found -> found.version() > CURRENT)
        .map(
            found ->
                new Problem(
                    "control schema " + schema,
                    "is of version %d, written by Sluice %s"
                        .formatted(found.version(), found.writtenBy()),
                    "version %d or earlier, which this Sluice (%s) reads"
                        .formatted(CURRENT, release()),
                    "Run the task with that Sluice or a later one; nothing is changed"));
  }

  /** Empty if no version from {@link #CURRENT} on is noted. */
  private static Optional<Written> read(TargetConnection connection, String schema)
      throws SQLException {
    if (!TABLE.isIn(connection, schema)) {
      return Optional.empty();
    }
    try (PreparedStatement statement =
        connection
            .jdbc()
            .prepareStatement(
                "SELECT version, written_by FROM "
                    + TABLE.in(schema)
                    + " WHERE version >= ? ORDER BY version DESC")) {
      statement.setInt(1, CURRENT);
      try (ResultSet row = statement.executeQuery()) {
        return row.next()
            ? Optional.of(new Written(row.getInt(1), row.getString(2)))
            : Optional.empty();
      }
    }
  }

  private static String release() {
    String version = ControlVersion.class.getPackage().getImplementationVersion();
    return version == null ? "of an unpacked build" : version;
  }

  private record Written(int version, String writtenBy) {}
}
