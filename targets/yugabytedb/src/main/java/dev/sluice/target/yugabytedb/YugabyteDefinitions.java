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
 * Reads definitions as on PostgreSQL, and changes them before the window that contains the change,
 * since the change may not be rolled back with the window. Owned by the connection's thread.
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

  /**
   * For partitions it accepts only changes that need no statement here: their rows are in a plain
   * table.
   */
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
        "not replicated, since YugabyteDB may keep such a change although its window is rolled back: %s; let TableErrorPolicy suspend the table, change it on the target, then reload it"
            .formatted(what),
        null);
  }

  /** Is repeated after conflicts with other transactions: each attempt first reads what exists. */
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
