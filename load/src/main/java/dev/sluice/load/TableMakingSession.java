package dev.sluice.load;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.load.target.MadeTable;
import dev.sluice.load.target.TableMaking;
import dev.sluice.sink.control.schema.EpochFence;
import dev.sluice.sink.target.RepeatedTransaction;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * There is no transaction around it, so each step leaves something that a later attempt understands:
 * a table is there with its mark and without rows, or it is not there. The epoch is read by a session
 * of its own, as the other one sees nothing but the table that it locks.
 */
/**
 * Drops and creates tables one after the other, and checks the epoch before each. Owned by the
 * thread that opened it.
 */
final class TableMakingSession implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TableMakingSession.class);

  private final TargetServer target;
  private final TableMaking making;
  private final EpochFence fence;
  private final TargetConnection connection;
  private final TargetConnection epochs;

  TableMakingSession(TargetServer target, TableMaking making, EpochFence fence) {
    this.target = target;
    this.making = making;
    this.fence = fence;
    this.connection = target.borrow();
    try {
      this.epochs = target.borrow();
    } catch (RuntimeException e) {
      connection.close();
      throw e;
    }
  }

  /** The session that drops and creates. */
  TargetConnection connection() {
    return connection;
  }

  /**
   * Drops those of the tables that are there, each before those that it references.
   *
   * @param guard permits each drop
   * @throws SluiceException.Fatal if one may not be dropped; those before it are gone
   */
  void drop(List<TableId> tables, DropGuard guard) throws SQLException {
    Map<TableId, Set<TableId>> references = making.references(connection, tables);
    TableMaking.Permission permission = guard.permission(tables, references);
    List<TableId> left = new ArrayList<>(tables);
    while (!left.isEmpty()) {
      List<TableId> referenced = new ArrayList<>();
      for (TableId table : left) {
        if (references.getOrDefault(table, Set.of()).stream().anyMatch(left::contains)) {
          referenced.add(table);
        } else {
          drop(table, permission);
        }
      }
      if (referenced.size() == left.size()) {
        throw new SluiceException.Fatal(
            new Problem(
                "target tables " + referenced,
                "reference each other in a circle",
                "tables that can be dropped one after the other",
                "Drop one of their foreign keys on the target"));
      }
      left = referenced;
    }
  }

  private void drop(TableId table, TableMaking.Permission permission) throws SQLException {
    try {
      boolean dropped =
          RepeatedTransaction.of(
              target.errors(),
              () ->
                  making.drop(
                      connection,
                      table,
                      (found, filled) -> {
                        permission.require(found, filled);
                        requireEpoch();
                      }));
      if (dropped) {
        LOG.info("{} dropped on the target", table);
      }
    } catch (SQLException e) {
      if (making.isReferenced(e)) {
        throw new SluiceException.Fatal(
            DropGuard.referenced(
                table, "that came meanwhile, or that this user may not see: " + e.getMessage()));
      }
      throw e;
    }
  }

  private void requireEpoch() throws SQLException {
    fence.require(epochs);
    epochs.rollback();
  }

  /**
   * Creates a table with the mark of the task.
   *
   * @param guard knows the mark
   * @throws SluiceException.Fatal if the target rejects it, or has another one of its name
   */
  void create(MadeTable table, DropGuard guard) throws SQLException {
    requireEpoch();
    try {
      RepeatedTransaction.run(
          target.errors(), () -> making.create(connection, table, guard.comment(table.table())));
    } catch (SQLException e) {
      if (making.isThere(e)) {
        throw there(table.table(), guard, e);
      }
      if (connection.errors().faultOf(e).mayPass()) {
        throw e;
      }
      throw new SluiceException.Fatal(
          table.notTaken(target.dialect().type(), connection.errors().textOf(e)));
    }
  }

  /** An earlier attempt may just have made it. What somebody else made is left alone. */
  private SluiceException there(TableId table, DropGuard guard, SQLException error)
      throws SQLException {
    return guard.isMade(connection, table)
        ? new SluiceException.Retryable("table %s is there again".formatted(table), error)
        : new SluiceException.Fatal(
            new Problem(
                "target table " + table,
                "cannot be created: " + connection.errors().textOf(error),
                "a free name; a server that does not tell cases apart may show it in lower case",
                "Look what is there under that name, and rename it or the source's table by a rule"));
  }

  @Override
  public void close() {
    epochs.close();
    connection.close();
  }
}
