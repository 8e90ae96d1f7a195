package dev.sluice.target.yugabytedb;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.ddl.TableDefinition;
import dev.sluice.connector.api.source.TaskMark;
import dev.sluice.load.target.AddedTables;
import dev.sluice.load.target.DroppedTables;
import dev.sluice.sink.target.ApartChange;
import dev.sluice.sink.target.NeededApart;
import dev.sluice.sink.target.RepeatedTransaction;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetDefinitions;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads definitions as PostgreSQL's, and changes them before the window that has the change, since
 * a window may not be able to undo that. Owned by the connection's thread.
 */
final class YugabyteDefinitions implements TargetDefinitions {
  private final TargetDefinitions postgres;
  private final AddedTables added;
  private final YugabyteAlteredTables altered;
  private final DroppedTables dropped;

  YugabyteDefinitions(TargetDefinitions postgres, TargetConnection connection) {
    this.postgres = postgres;
    YugabyteTableMaking making = new YugabyteTableMaking();
    this.added =
        new AddedTables(connection, YugabyteTableMaking.ofAdded(), new YugabyteAddedRules());
    this.altered = new YugabyteAlteredTables(connection);
    this.dropped = new DroppedTables(connection, making);
  }

  @Override
  public Optional<Found> find(TableId table) throws SQLException {
    return postgres.find(table);
  }

  @Override
  public boolean inherits(TableId table, TableId parent) throws SQLException {
    return postgres.inherits(table, parent);
  }

  @Override
  public boolean hasRows(TableId table) throws SQLException {
    return postgres.hasRows(table);
  }

  @Override
  public boolean madeApart(TableDefinition definition, TableId table, Optional<TaskMark> mark)
      throws SQLException {
    if (mark.isEmpty() || definition.partition() != null) {
      throw refused("create table " + table);
    }
    try {
      added.require(definition, table, mark.get());
    } catch (NeededApart e) {
      throw new Repeated(e);
    }
    return true;
  }

  /** Of partitions only what needs no statement: rows that a plain table has of them. */
  @Override
  public boolean changedApart(ApartChange change) throws SQLException {
    TableDefinition after = change.change().after();
    if (change.change().before().partition() != null
        || after != null && after.partition() != null) {
      return false;
    }
    try {
      if (after == null) {
        dropped.require(change);
      } else {
        altered.require(change);
      }
    } catch (NeededApart e) {
      throw new Repeated(e);
    }
    return true;
  }

  @Override
  public void makeSchema(String schema) {
    throw refused("schema " + schema);
  }

  @Override
  public void runUnder(Map<String, String> settings, List<String> statements) {
    throw refused(String.join("; ", statements));
  }

  @Override
  public Map<String, Filled> filled(TableId table, List<String> columns) throws SQLException {
    return postgres.filled(table, columns);
  }

  private static SluiceException refused(String what) {
    return new SluiceException.Data(
        "not replicated, since YugabyteDB may keep such a change of a window that fails: %s; let TableErrorPolicy suspend the table, change it on the target, then reload it"
            .formatted(what),
        null);
  }

  /** What is made anew while another transaction is faster: each attempt looks what is there. */
  private static final class Repeated extends NeededApart {
    private static final long serialVersionUID = 1;

    private final transient NeededApart needed;

    Repeated(NeededApart needed) {
      super(needed.getMessage());
      this.needed = needed;
    }

    @Override
    public void make(TargetConnection connection) throws SQLException {
      RepeatedTransaction.run(connection.errors(), () -> needed.make(connection));
    }
  }
}
