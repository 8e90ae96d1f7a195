package dev.sluice.sink.apply.isolation;

import static dev.sluice.sink.target.control.ControlColumn.required;
import static dev.sluice.sink.target.control.ControlType.LONG;
import static dev.sluice.sink.target.control.ControlType.NAME;
import static dev.sluice.sink.target.control.ControlType.NUMBER;
import static dev.sluice.sink.target.control.ControlType.TEXT;

import dev.sluice.config.TableId;
import dev.sluice.sink.control.schema.HostName;
import dev.sluice.sink.control.schema.ReportTables;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.control.ControlColumn;
import dev.sluice.sink.target.control.ControlStatements;
import dev.sluice.sink.target.control.ControlStatements.RowSums;
import dev.sluice.sink.window.TableCounters;
import java.math.BigDecimal;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

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

  private static final BigDecimal MEGABYTE = BigDecimal.valueOf(1024 * 1024);

  private static final List<String> KEY =
      List.of("task_name", "timeslot_type", "timeslot", "source_schema", "source_table");

  private static final List<ControlColumn> GIVEN =
      List.of(
          required("task_name", NAME),
          required("source_schema", NAME),
          required("source_table", NAME));

  private static final List<ControlColumn> REPLACED = List.of(required("server_name", TEXT));

  private static final List<ControlColumn> GREATEST = List.of(required("timeslot_latency", LONG));

  private static final List<ControlColumn> ADDED =
      List.of(
          required("windows", LONG),
          required("records", LONG),
          required("timeslot_volume", NUMBER),
          required("inserts", LONG),
          required("updates", LONG),
          required("deletes", LONG),
          required("truncates", LONG),
          required("net_changes", LONG),
          required("applied_inserts", LONG),
          required("applied_updates", LONG),
          required("applied_deletes", LONG),
          required("applied_truncates", LONG),
          required("conflicts", LONG),
          required("upserts", LONG),
          required("suspended_changes", LONG));

  private final String task;
  private final int minutes;
  private final String table;

  public ChangeHistory(String controlSchema, String task, Duration timeslot) {
    this.task = task;
    this.minutes = Math.toIntExact(timeslot.toMinutes());
    this.table = ReportTables.HISTORY.in(controlSchema);
  }

  /**
   * Adds a window's counters in the open transaction.
   *
   * @param behind time from the source's commit of the window's last transaction until now
   */
  public void add(TargetConnection connection, Duration behind, List<Entry> entries)
      throws SQLException {
    ControlStatements control = connection.dialect().control();
    Map<String, String> computed = new LinkedHashMap<>();
    computed.put("timeslot_type", "'CHANGE PROCESSING'");
    computed.put("timeslot", control.timeslot(minutes));
    computed.put("timeslot_duration", String.valueOf(minutes));
    RowSums sums = new RowSums(table, KEY, computed, GIVEN, REPLACED, GREATEST, ADDED);
    long latency = Math.max(0, behind.toSeconds());
    control.addRows(
        connection.jdbc(), sums, entries.stream().map(entry -> row(entry, latency)).toList());
  }

  private List<Object> row(Entry entry, long latency) {
    TableCounters applied = entry.applied();
    return List.of(
        task,
        entry.table().schema(),
        entry.table().name(),
        HostName.text(),
        latency,
        1L,
        rows(entry.captured()),
        BigDecimal.valueOf(entry.bytes()).divide(MEGABYTE),
        entry.captured().inserts(),
        entry.captured().updates(),
        entry.captured().deletes(),
        entry.captured().ddls(),
        rows(applied),
        applied.inserts(),
        applied.updates(),
        applied.deletes(),
        applied.ddls(),
        entry.conflicts(),
        entry.upserts(),
        entry.suspended());
  }

  private static long rows(TableCounters counters) {
    return counters.inserts() + counters.updates() + counters.deletes();
  }
}
