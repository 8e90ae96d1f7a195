package dev.sluice.load;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.load.target.LoadDialects;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetFault;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/*
 * A server locks each table that is dropped, with its indexes, types and constraints, until the
 * transaction ends. A transaction that uses up the server's space for locks makes the statements of
 * all others fail.
 */
/**
 * Drops tables of a target where a drop can be rolled back. Owned by the thread that owns the
 * connection.
 */
final class TableDrops {
  /**
   * How many tables are dropped at a time: with a dozen locks for each, a part of what the smallest
   * server can hold.
   */
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
    if (!tables.isEmpty()) {
      dropOrRefuse(tables, "drop the target's tables")
          .ifPresent(refusal -> refuse(List.of(refusal)));
    }
  }

  /**
   * Drops tables in several transactions, if there are many. Tables that depend on each other are
   * dropped together.
   *
   * @throws SluiceException.Fatal if an object outside of them depends on one; none is gone then,
   *     unless the object came meanwhile
   */
  void dropInParts(List<TableId> tables, Commit commit) throws SQLException {
    if (tables.size() > AT_ONCE) {
      refuse(refusals(tables, false));
    }
    // Partitions come after their root, and take its locks in parts as well.
    List<TableId> reversed = new ArrayList<>(tables);
    Collections.reverse(reversed);
    Set<TableId> left = new LinkedHashSet<>(reversed);
    while (!left.isEmpty()) {
      List<TableId> part = beginning(left);
      if (part.size() == left.size()) {
        drop(part);
      } else if (dropOrRefuse(part, "drop the target's tables").isPresent()) {
        part = withDependents(part, left);
        drop(part);
      }
      commit.of(part);
      left.removeAll(Set.copyOf(part));
    }
  }

  /** True if no object other than these tables depends on one of them. Changes nothing. */
  boolean canDrop(List<TableId> tables) {
    return refusals(tables, true).isEmpty();
  }

  /**
   * Why tables cannot be dropped: objects other than these depend on them. Changes nothing.
   *
   * @param first whether the first one is enough
   */
  private List<Problem> refusals(List<TableId> tables, boolean first) {
    List<Problem> refusals = new ArrayList<>();
    Set<TableId> left = new LinkedHashSet<>(tables);
    while (!left.isEmpty() && !(first && !refusals.isEmpty())) {
      List<TableId> part = beginning(left);
      if (refusal(part).isPresent()) {
        // One of the others may be what depends on it.
        part = withDependents(part, tables);
        refusal(part).ifPresent(refusals::add);
      }
      left.removeAll(Set.copyOf(part));
    }
    return refusals;
  }

  private Optional<Problem> refusal(List<TableId> tables) {
    try {
      return dropOrRefuse(tables, "look whether the target's tables can be dropped");
    } finally {
      connection.rollback();
    }
  }

  private static List<TableId> beginning(Collection<TableId> tables) {
    return tables.stream().limit(AT_ONCE).toList();
  }

  /** The tables with those that depend on them; missing tables are kept in the list. */
  private List<TableId> withDependents(List<TableId> tables, Collection<TableId> among) {
    try {
      Set<TableId> all = new LinkedHashSet<>(tables);
      all.addAll(
          LoadDialects.of(connection.dialect()).dependents(connection, tables, List.copyOf(among)));
      connection.rollback();
      return List.copyOf(all);
    } catch (SQLException e) {
      connection.rollback();
      throw connection.errors().classify("look what depends on the target's tables", e);
    }
  }

  /**
   * Drops tables in the open transaction, or undoes it.
   *
   * @return the objects that depend on them; empty if they are dropped
   */
  private Optional<Problem> dropOrRefuse(List<TableId> tables, String action) {
    try {
      connection.execute(
          "DROP TABLE IF EXISTS "
              + tables.stream().map(TableId::quoted).collect(Collectors.joining(", ")));
      return Optional.empty();
    } catch (SQLException e) {
      connection.rollback();
      if (connection.errors().faultOf(e) == TargetFault.DEPENDENT_OBJECT) {
        return Optional.of(
            new Problem(
                "dropping the target's tables",
                e.getMessage().replaceAll("\\s*\\n\\s*", "; "),
                "nothing outside of the task that depends on them",
                "Drop what is named. A task that has loaded none of them may keep them instead:"
                    + " TargetTablePrepMode TRUNCATE_BEFORE_LOAD"));
      }
      throw connection.errors().classify(action, e);
    }
  }

  private static void refuse(List<Problem> refusals) {
    if (!refusals.isEmpty()) {
      throw new SluiceException.Fatal(refusals);
    }
  }
}
