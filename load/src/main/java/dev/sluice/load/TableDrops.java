package dev.sluice.load;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetFault;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;

/*
 * A server locks each table that is dropped, with its indexes, types and constraints, until the
 * transaction ends. One that takes the last room for locks makes the statements of all others fail.
 */
/**
 * Drops tables of the target, where that can be rolled back. Owned by the thread that owns the
 * connection.
 */
final class TableDrops {
  /** A dozen locks for each are a part of what the smallest server has room for. */
  private static final int AT_ONCE = 50;

  private final TargetConnection connection;

  TableDrops(TargetConnection connection) {
    this.connection = connection;
  }

  /** Ends the transaction in which tables were dropped. */
  interface Commit {
    void of(List<TableId> dropped) throws SQLException;
  }

  /**
   * Drops tables in the open transaction.
   *
   * @throws SluiceException.Fatal if an object outside of them depends on one
   */
  void drop(List<TableId> tables) {
    if (tables.isEmpty()) {
      return;
    }
    try {
      connection.execute(statement(tables));
    } catch (SQLException e) {
      connection.rollback();
      if (connection.errors().faultOf(e) == TargetFault.DEPENDENT_OBJECT) {
        throw new SluiceException.Fatal(
            new Problem(
                "dropping the target's tables",
                e.getMessage().replaceAll("\\s*\\n\\s*", "; "),
                "nothing outside of the task that depends on them",
                "Drop what is named. A task that has loaded none of them may keep them instead:"
                    + " TargetTablePrepMode TRUNCATE_BEFORE_LOAD"));
      }
      throw connection.errors().classify("drop the target's tables", e);
    }
  }

  /**
   * Drops tables by several transactions, if there are many. What depends on others of them is
   * dropped together with them.
   *
   * @throws SluiceException.Fatal if an object outside of them depends on one; none is gone then,
   *     unless the object came meanwhile
   */
  void dropInParts(List<TableId> tables, Commit commit) throws SQLException {
    if (tables.size() > AT_ONCE && !canDrop(tables)) {
      drop(tables);
      commit.of(tables);
      return;
    }
    // Partitions come behind their root, and take its locks in parts as well.
    List<TableId> left = new ArrayList<>(tables);
    Collections.reverse(left);
    int atOnce = AT_ONCE;
    while (!left.isEmpty()) {
      List<TableId> part = List.copyOf(left.subList(0, Math.min(atOnce, left.size())));
      if (part.size() == left.size()) {
        drop(part);
      } else if (!isDropped(part, "drop the target's tables")) {
        atOnce *= 2;
        continue;
      }
      commit.of(part);
      left.subList(0, part.size()).clear();
      atOnce = AT_ONCE;
    }
  }

  /** True if no object other than these tables depends on one of them. Changes nothing. */
  boolean canDrop(List<TableId> tables) {
    for (int from = 0; from < tables.size(); from += AT_ONCE) {
      if (!canDropAtOnce(tables.subList(from, Math.min(tables.size(), from + AT_ONCE)))) {
        // Those before or behind may depend on it.
        return canDropAtOnce(tables);
      }
    }
    return true;
  }

  private boolean canDropAtOnce(List<TableId> tables) {
    try {
      return isDropped(tables, "look whether the target's tables can be dropped");
    } finally {
      connection.rollback();
    }
  }

  /** Drops tables in the open transaction; false if others depend on them, and it is undone. */
  private boolean isDropped(List<TableId> tables, String action) {
    try {
      connection.execute(statement(tables));
      return true;
    } catch (SQLException e) {
      connection.rollback();
      if (connection.errors().faultOf(e) == TargetFault.DEPENDENT_OBJECT) {
        return false;
      }
      throw connection.errors().classify(action, e);
    }
  }

  private static String statement(List<TableId> tables) {
    return "DROP TABLE IF EXISTS "
        + tables.stream().map(TableId::quoted).collect(Collectors.joining(", "));
  }
}
