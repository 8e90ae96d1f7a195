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
 * The tables that one lane passes over. Owned by the apply thread; {@link #list} is for any thread.
 */
public final class LaneSuspensions {
  private final Lane lane;
  private final SuspensionChanges news;
  private final SuspendedTables rows;

  /** As the target has it; replaced, never changed. */
  private volatile Map<TableId, SuspendedTable> suspended;

  /** The news that it takes into account. */
  private long newsRead;

  /**
   * @param suspended the task's suspended tables, as they were read before
   */
  public LaneSuspensions(
      Lane lane, SuspensionChanges news, SuspendedTables rows, List<SuspendedTable> suspended) {
    this.lane = lane;
    this.news = news;
    this.rows = rows;
    this.newsRead = news.changes();
    keep(suspended);
  }

  public List<SuspendedTable> list() {
    return List.copyOf(suspended.values());
  }

  public Set<TableId> tables() {
    return suspended.keySet();
  }

  /** Whether others in this process have suspended tables or brought some back. */
  public boolean hasNews() {
    return news.changes() != newsRead;
  }

  /**
   * Reads them anew; under the checkpoint row's lock, so that nobody changes them before the
   * window's end.
   *
   * @return those that are passed over no more
   */
  public Set<TableId> read(TargetConnection connection) throws SQLException {
    newsRead = news.changes();
    Set<TableId> joined = new HashSet<>(suspended.keySet());
    keep(rows.read(connection));
    joined.removeAll(suspended.keySet());
    return joined;
  }

  /** Writes what a pass over a window suspends, in the window's transaction. */
  public void write(TargetConnection connection, IsolationFindings verdicts) throws SQLException {
    List<SuspendedTable> tables = new ArrayList<>();
    List<TableId> targets = new ArrayList<>();
    for (IsolationFindings.Suspension suspension : verdicts.suspensions().values()) {
      tables.add(suspension.table());
      targets.add(suspension.target());
    }
    rows.add(connection, tables, targets);
  }

  /** The transaction that wrote them is committed. */
  public void written(IsolationFindings verdicts) {
    List<SuspendedTable> now = new ArrayList<>(suspended.values());
    verdicts.suspensions().values().forEach(suspension -> now.add(suspension.table()));
    keep(now);
  }

  /** A lane in which a suspended table catches up passes nothing over. */
  private void keep(List<SuspendedTable> tables) {
    Map<TableId, SuspendedTable> byTable = new TreeMap<>();
    if (!lane.id().catchesUp()) {
      tables.forEach(table -> byTable.put(table.table(), table));
    }
    suspended = byTable;
  }
}
