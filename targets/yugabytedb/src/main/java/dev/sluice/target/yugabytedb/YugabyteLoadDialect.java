package dev.sluice.target.yugabytedb;

import dev.sluice.config.Counted;
import dev.sluice.config.MonotonicClock;
import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.CopyLayout;
import dev.sluice.load.postgres.PostgresLoadDialect;
import dev.sluice.load.target.FileRows;
import dev.sluice.load.target.ForeignKeys;
import dev.sluice.load.target.LoadDialect;
import dev.sluice.load.target.RowStream;
import dev.sluice.load.target.StaleKeys;
import dev.sluice.load.target.TableMaking;
import dev.sluice.load.target.TableReader;
import dev.sluice.load.target.TargetSequences;
import dev.sluice.load.target.WorkerAdvice;
import dev.sluice.sink.target.LoadStatements.Existing;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetLimit;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.target.yugabytedb.cluster.ClusterNodes;
import dev.sluice.target.yugabytedb.cluster.LoadWorkers;
import dev.sluice.target.yugabytedb.workers.NodeLoadAdvice;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loads rows into YugabyteDB, as PostgreSQL's load does. Files are not imported. Tables are created
 * one after the other, since YugabyteDB may keep a table although its creation was rolled back.
 * Stateless, threadsafe.
 */
public final class YugabyteLoadDialect implements LoadDialect {
  private static final Logger LOG = LoggerFactory.getLogger(YugabyteLoadDialect.class);

  /** For each worker. A step of ten thousand rows has fewer bytes, unless the rows are wide. */
  private static final long KEPT = 8L << 20;

  private final PostgresLoadDialect postgres = new PostgresLoadDialect();
  private final TableMaking making = new YugabyteTableMaking();
  private final TargetSequences sequences = new YugabyteSequences(postgres.sequences());

  @Override
  public String type() {
    return YugabyteDialect.INSTANCE.type();
  }

  /**
   * A COPY also fails when another table of the database is altered, so its rows are kept to be
   * sent again.
   */
  @Override
  public long bytesSentAgain() {
    return KEPT;
  }

  @Override
  public OptionalInt usualWorkers(TargetServer target) {
    try (TargetConnection connection = target.borrow()) {
      int servers = ClusterNodes.count(connection.jdbc());
      int workers = LoadWorkers.of(servers);
      LOG.info(
          "the cluster has {}: {} load, since MaxFullLoadSubTasks is not set",
          Counted.of(servers, "server"),
          Counted.of(workers, "worker"));
      return OptionalInt.of(workers);
    } catch (SQLException e) {
      LOG.warn(
          "the servers of the cluster cannot be counted, so the number of workers is that of other targets: {}",
          e.getMessage());
      return OptionalInt.empty();
    }
  }

  @Override
  public Optional<WorkerAdvice> workerAdvice(TargetServer target, int most) {
    return Optional.of(new NodeLoadAdvice(target, most, new MonotonicClock()));
  }

  @Override
  public RowStream rows(TargetConnection connection, TableId table, CopyLayout layout)
      throws SQLException {
    LoadLocks.holdLoaded(connection, table);
    return postgres.rows(connection, table, layout);
  }

  @Override
  public FileRows files() {
    throw Refusal.of(TargetLimit.IMPORTS);
  }

  @Override
  public Optional<TableMaking> making() {
    return Optional.of(making);
  }

  @Override
  public TableReader tables() {
    return postgres.tables();
  }

  /**
   * By DELETE, since a TRUNCATE could not be rolled back if another daemon has taken over the task.
   */
  @Override
  public void empty(TargetConnection connection, List<TableId> tables) throws SQLException {
    for (TableId table : new TreeSet<>(tables)) {
      LoadLocks.holdEmptied(connection, table);
    }
    for (Existing table : connection.dialect().load().existing(connection.jdbc(), tables)) {
      long rows = connection.execute("DELETE FROM " + table.from());
      if (rows > 0) {
        LOG.info("{} emptied: {} rows deleted", table.table(), rows);
      }
    }
  }

  @Override
  public StaleKeys staleKeys(
      TargetConnection connection, int number, TableId table, List<String> columns)
      throws SQLException {
    return postgres.keptStaleKeys(connection, number, table, columns);
  }

  @Override
  public TargetSequences sequences() {
    return sequences;
  }

  @Override
  public ForeignKeys foreignKeys() {
    throw Refusal.of(TargetLimit.IMPORTS);
  }
}
