package dev.sluice.load.target;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.ddl.DefinitionChange;
import dev.sluice.connector.api.ddl.TableDefinition.Partition;
import dev.sluice.connector.api.source.TaskMark;
import dev.sluice.sink.target.ApartChange;
import dev.sluice.sink.target.NeededApart;
import dev.sluice.sink.target.TargetConnection;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drops the tables that the source drops while a task runs. That the table is gone shows that it
 * was done. Owned by the connection's thread.
 */
public final class DroppedTables {
  private static final Logger LOG = LoggerFactory.getLogger(DroppedTables.class);

  private final TargetConnection connection;
  private final TableMaking making;

  public DroppedTables(TargetConnection connection, TableMaking making) {
    this.connection = connection;
    this.making = making;
  }

  /**
   * @throws NeededApart if the table is still there
   * @throws SluiceException.Data if it must not be dropped
   */
  public void require(ApartChange change) throws SQLException {
    Partition partition = change.change().before().partition();
    if (partition != null) {
      if (!dropsToo(partition, change)) {
        throw refused(change.was(), "was a partition, and its rows are among others on the target");
      }
      return;
    }
    Optional<FoundTable> found = making.find(connection, change.was());
    if (found.isPresent()) {
      requireDroppable(found.get(), change.mark());
      throw new Needed(first(change), change.mark());
    }
  }

  /** Of all tables that go, one that no other one of them references. */
  private TableId first(ApartChange change) throws SQLException {
    if (change.dropped().size() == 1) {
      return change.was();
    }
    Map<TableId, Set<TableId>> references = making.references(connection, change.dropped());
    Set<TableId> passed = new HashSet<>();
    TableId next = change.was();
    while (passed.add(next)) {
      next =
          references.getOrDefault(next, Set.of()).stream()
              .filter(other -> change.dropped().contains(other) && !passed.contains(other))
              .min(Comparator.naturalOrder())
              .orElse(next);
    }
    return next;
  }

  private static boolean dropsToo(Partition partition, ApartChange change) {
    return change.statement().changes().stream()
        .filter(DefinitionChange::drops)
        .anyMatch(
            other ->
                other.before().table().equals(partition.root())
                    || other.before().table().equals(partition.parent()));
  }

  private static void requireDroppable(FoundTable found, Optional<TaskMark> mark) {
    if (!found.ordinary()) {
      throw refused(found.table(), "is on the target a " + found.kind());
    }
    if (mark.isPresent() && mark.get().isAnothersIn(found.comment())) {
      throw refused(found.table(), "was made by another task on the target");
    }
    if (!found.triggers().isEmpty()) {
      throw refused(found.table(), "has triggers on the target: " + found.triggers());
    }
  }

  private static SluiceException refused(TableId table, String why) {
    return new SluiceException.Data(
        "the source has dropped table %s, which %s; it stays as it is. Drop it yourself if it is not needed, and deselect the source table"
            .formatted(table, why),
        null);
  }

  /** The drop, over a session without an open transaction. */
  private final class Needed extends NeededApart {
    private static final long serialVersionUID = 1;

    private final transient TableId table;
    private final transient Optional<TaskMark> mark;

    Needed(TableId table, Optional<TaskMark> mark) {
      super("drop table " + table);
      this.table = table;
      this.mark = mark;
    }

    @Override
    public void make(TargetConnection session) throws SQLException {
      if (making.drop(session, table, (found, filled) -> requireDroppable(found, mark))) {
        LOG.info("table {} dropped on the target", table);
      }
    }
  }
}
