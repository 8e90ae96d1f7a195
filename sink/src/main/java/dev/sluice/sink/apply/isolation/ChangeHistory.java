package dev.sluice.sink.apply.isolation;

import dev.sluice.config.TableId;
import dev.sluice.sink.control.schema.HostName;
import dev.sluice.sink.control.schema.ReportTables;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.window.TableCounters;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * Writes the table {@code sluice_history}: sums of each time slot, per table and for the task (an
 * empty table name). One statement adds a window inside the window's transaction, so the sums are
 * exact. Immutable; used by the apply thread.
 */
public final class ChangeHistory {

  /**
   * The counters of one window for one table.
   *
   * @param table the source table; empty names for the sum of all tables
   * @param captured changes of the source
   * @param applied net changes applied to the target
   * @param bytes size of the applied rows
   * @param conflicts changes that the target rejected
   * @param upserts inserts applied as updates and updates applied as inserts
   * @param suspended changes skipped because their table is suspended
   */
  record Entry(
      TableId table,
      TableCounters captured,
      TableCounters applied,
      long bytes,
      long conflicts,
      long upserts,
      long suspended) {}

  private final String task;
  private final int minutes;
  private final String upsert;

  public ChangeHistory(String controlSchema, String task, Duration timeslot) {
    this.task = task;
    this.minutes = Math.toIntExact(timeslot.toMinutes());
    this.upsert =
        """
        INSERT INTO %s AS h (
          server_name, task_name, timeslot_type, timeslot, timeslot_duration, timeslot_latency,
          source_schema, source_table, windows, records, timeslot_volume,
          inserts, updates, deletes, truncates, net_changes,
          applied_inserts, applied_updates, applied_deletes, applied_truncates,
          conflicts, upserts, suspended_changes)
        SELECT ?, ?, 'CHANGE PROCESSING',
               date_bin(make_interval(mins => ?), now(), timestamptz '2000-01-01 00:00:00+00'), ?,
               ?, w.s, w.t, 1, w.records, w.bytes / 1048576.0, w.i, w.u, w.d, w.e,
               w.ai + w.au + w.ad, w.ai, w.au, w.ad, w.ae, w.c, w.p, w.x
        FROM unnest(?::text[], ?::text[], ?::int8[], ?::int8[], ?::int8[], ?::int8[], ?::int8[],
                    ?::int8[], ?::int8[], ?::int8[], ?::int8[], ?::int8[], ?::int8[], ?::int8[],
                    ?::int8[])
          AS w (s, t, records, bytes, i, u, d, e, ai, au, ad, ae, c, p, x)
        ON CONFLICT (task_name, timeslot_type, timeslot, source_schema, source_table) DO UPDATE SET
          server_name = excluded.server_name,
          timeslot_latency = greatest(h.timeslot_latency, excluded.timeslot_latency),
          windows = h.windows + excluded.windows,
          records = h.records + excluded.records,
          timeslot_volume = h.timeslot_volume + excluded.timeslot_volume,
          inserts = h.inserts + excluded.inserts,
          updates = h.updates + excluded.updates,
          deletes = h.deletes + excluded.deletes,
          truncates = h.truncates + excluded.truncates,
          net_changes = h.net_changes + excluded.net_changes,
          applied_inserts = h.applied_inserts + excluded.applied_inserts,
          applied_updates = h.applied_updates + excluded.applied_updates,
          applied_deletes = h.applied_deletes + excluded.applied_deletes,
          applied_truncates = h.applied_truncates + excluded.applied_truncates,
          conflicts = h.conflicts + excluded.conflicts,
          upserts = h.upserts + excluded.upserts,
          suspended_changes = h.suspended_changes + excluded.suspended_changes
        """
            .formatted(ReportTables.HISTORY.in(controlSchema));
  }

  /**
   * Adds a window's counters in the open transaction.
   *
   * @param behind time from the source's commit of the window's last transaction until now
   */
  public void add(TargetConnection connection, Duration behind, List<Entry> entries)
      throws SQLException {
    try (PreparedStatement statement = connection.jdbc().prepareStatement(upsert)) {
      statement.setString(1, HostName.text());
      statement.setString(2, task);
      statement.setInt(3, minutes);
      statement.setInt(4, minutes);
      statement.setLong(5, Math.max(0, behind.toSeconds()));
      statement.setArray(6, texts(connection, entries, true));
      statement.setArray(7, texts(connection, entries, false));
      List<ToLongFunction<Entry>> columns =
          List.of(
              entry -> rows(entry.captured()),
              Entry::bytes,
              entry -> entry.captured().inserts(),
              entry -> entry.captured().updates(),
              entry -> entry.captured().deletes(),
              entry -> entry.captured().ddls(),
              entry -> entry.applied().inserts(),
              entry -> entry.applied().updates(),
              entry -> entry.applied().deletes(),
              entry -> entry.applied().ddls(),
              Entry::conflicts,
              Entry::upserts,
              Entry::suspended);
      int parameter = 8;
      for (ToLongFunction<Entry> column : columns) {
        Object[] numbers = entries.stream().map(column::applyAsLong).toArray();
        statement.setArray(parameter++, connection.jdbc().createArrayOf("int8", numbers));
      }
      statement.executeUpdate();
    }
  }

  private static java.sql.Array texts(
      TargetConnection connection, List<Entry> entries, boolean schemas) throws SQLException {
    Object[] names =
        entries.stream()
            .map(entry -> schemas ? entry.table().schema() : entry.table().name())
            .toArray();
    return connection.jdbc().createArrayOf("text", names);
  }

  private static long rows(TableCounters counters) {
    return counters.inserts() + counters.updates() + counters.deletes();
  }
}
