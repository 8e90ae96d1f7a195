package dev.sluice.connector.postgres.slot;

import dev.sluice.config.document.Problem;
import dev.sluice.connector.api.source.FoundRetention;
import dev.sluice.connector.api.source.TaskMark;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * An existing replication slot and its reader. Slot names are unique for the whole server, so a
 * slot of the wanted name may belong to another database, program or task. Immutable.
 *
 * @param what its kind, for messages
 * @param usable whether it is a pgoutput slot of this database
 * @param activePid the server process that reads from it
 * @param reader the application name of that process; empty if nothing reads, or if the process is
 *     about to end: then the server knows nothing more of it
 * @param client address and user of that process, for messages
 */
public record FoundSlot(
    String name,
    String what,
    boolean usable,
    OptionalLong activePid,
    Optional<String> reader,
    String client)
    implements FoundRetention {
  private static final String SLOT =
      """
      SELECT CASE s.slot_type WHEN 'logical'
               THEN pg_catalog.format('a slot of database %I for plugin %I', s.database, s.plugin)
               ELSE 'a physical slot' END,
             coalesce(s.database = pg_catalog.current_database() AND s.plugin = 'pgoutput', false),
             s.active_pid,
             CASE WHEN a.usesysid IS NOT NULL THEN coalesce(a.application_name, '') END,
             pg_catalog.concat_ws(' ', 'user', a.usename, 'from', coalesce(a.client_addr::text,
               'the server itself'))
      FROM pg_catalog.pg_replication_slots s
      LEFT JOIN pg_catalog.pg_stat_activity a ON a.pid = s.active_pid
      WHERE s.slot_name = ?
      """;

  static Optional<FoundSlot> find(Connection connection, String name) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(SLOT)) {
      statement.setString(1, name);
      try (ResultSet row = statement.executeQuery()) {
        if (!row.next()) {
          return Optional.empty();
        }
        long pid = row.getLong(3);
        boolean active = !row.wasNull();
        return Optional.of(
            new FoundSlot(
                name,
                row.getString(1),
                row.getBoolean(2),
                active ? OptionalLong.of(pid) : OptionalLong.empty(),
                active ? Optional.ofNullable(row.getString(4)) : Optional.empty(),
                row.getString(5)));
      }
    }
  }

  /**
   * Whether it is certainly not the task's: of another database or plugin, or read by another
   * application.
   */
  @Override
  public boolean isForeignTo(TaskMark mark) {
    return !usable || reader.filter(name -> !name.equals(mark.sessionName())).isPresent();
  }

  /** The problem that the slot belongs to another owner and must not be used. */
  @Override
  public Problem leftAlone() {
    return new Problem(
        "replication slot " + name,
        "it does not belong to this task: it is " + this,
        "a slot that this task created, or none of that name (slot names are unique on the server)",
        "Do not drop that slot; set source.slot-name of this task to another name");
  }

  @Override
  public Problem notRecorded(boolean loads) {
    return new Problem(
        "replication slot " + name,
        "it exists, and the target has no record that this task created it: it is " + this,
        "a slot that this task creates itself",
        "Leave that slot alone, and name another slot for this task: source.slot-name. "
            + (loads
                ? "Only if no other task or program will ever read from it again, drop it by hand:"
                    + " SELECT pg_drop_replication_slot('"
                    + name
                    + "')"
                : "If it was created for this task, set source.take-slot: true"));
  }

  @Override
  public String toString() {
    return activePid.isPresent()
        ? "%s, read by server process %d ('%s', %s)"
            .formatted(what, activePid.getAsLong(), reader.orElse(""), client)
        : what + ", which nothing reads at present";
  }
}
