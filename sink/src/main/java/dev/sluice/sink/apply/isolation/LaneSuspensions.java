package dev.sluice.sink.apply.isolation;

import dev.sluice.config.TableId;
import dev.sluice.sink.control.suspension.SuspendedTable;
import dev.sluice.sink.control.suspension.SuspendedTables;
import dev.sluice.sink.control.suspension.SuspensionChanges;
import dev.sluice.sink.lane.Lane;
import dev.sluice.sink.target.TargetConnection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The suspended tables, whose changes one lane skips. Owned by the apply thread; {@link #list} may
 * be called from any thread.
 */
public final class LaneSuspensions {
  private final Lane lane;
  private final SuspensionChanges suspensionChanges;
  private final SuspendedTables rows;

  /** The state on the target; the map is replaced, never changed. */
  private volatile Map<TableId, SuspendedTable> suspended;

  /** The value of the change counter when the tables were read last. */
  private long changesRead;

  /**
   * @param suspended the task's suspended tables at the start
   */
  public LaneSuspensions(
      Lane lane,
      SuspensionChanges suspensionChanges,
      SuspendedTables rows,
      List<SuspendedTable> suspended) {
    this.lane = lane;
    this.suspensionChanges = suspensionChanges;
    this.rows = rows;
    this.changesRead = suspensionChanges.changes();
    replace(suspended);
  }

  public List<SuspendedTable> list() {
    return List.copyOf(suspended.values());
  }

  public Set<TableId> tables() {
    return suspended.keySet();
  }

  /** True if another part of this process has suspended or resumed tables since the last read. */
  public boolean hasChanges() {
    return suspensionChanges.changes() != changesRead;
  }

  /**
   * Reads the suspended tables again. Call it under the checkpoint row's lock, so that they stay
   * the same until the window's end.
   *
   * @return the tables that are not suspended any more
   */
  public Set<TableId> read(TargetConnection connection) throws SQLException {
    changesRead = suspensionChanges.changes();
    Set<TableId> joined = new HashSet<>(suspended.keySet());
    replace(rows.read(connection));
    joined.removeAll(suspended.keySet());
    return joined;
  }

  /** Writes the newly suspended tables in the window's transaction. */
  public void write(TargetConnection connection, IsolationFindings findings) throws SQLException {
    List<SuspendedTable> tables = new ArrayList<>();
    List<TableId> targets = new ArrayList<>();
    for (IsolationFindings.Suspension suspension : findings.suspensions().values()) {
      tables.add(suspension.table());
      targets.add(suspension.target());
    }
    rows.add(connection, tables, targets);
  }

  /** Call it when the transaction that wrote them is committed. */
  public void written(IsolationFindings findings) {
    List<SuspendedTable> now = new ArrayList<>(suspended.values());
    findings.suspensions().values().forEach(suspension -> now.add(suspension.table()));
    replace(now);
  }

  /** A catch-up lane skips no table: its own table is the suspended one. */
  private void replace(List<SuspendedTable> tables) {
    Map<TableId, SuspendedTable> byTable = new TreeMap<>();
    if (!lane.id().catchesUp()) {
      tables.forEach(table -> byTable.put(table.table(), table));
    }
    suspended = byTable;
  }
}
