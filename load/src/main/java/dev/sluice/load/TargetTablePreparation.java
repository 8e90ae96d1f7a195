package dev.sluice.load;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.load.CompletionStep;
import dev.sluice.connector.api.load.CompletionStep.Kind;
import dev.sluice.connector.api.load.TableDefinitions;
import dev.sluice.load.log.CompletionStepStore;
import dev.sluice.load.target.LoadDialects;
import dev.sluice.sink.control.schema.EpochFence;
import dev.sluice.sink.target.RepeatedTransaction;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetDialect;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Prepares the target's tables for a load, as DMS's TargetTablePrepMode says. Each method is one
 * transaction, but for {@link #dropOwn}. What drops and creates tables may be rolled back, so on a
 * target whose DDL commits it is refused before anything is touched. Owned by the thread that owns
 * the connection.
 */
public final class TargetTablePreparation {
  private static final Logger LOG = LoggerFactory.getLogger(TargetTablePreparation.class);

  private static final Duration OTHER_TASKS = Duration.ofSeconds(30);

  private final TargetConnection connection;
  private final EpochFence fence;
  private final TableDrops drops;

  /**
   * @param fence checked before each commit
   */
  public TargetTablePreparation(TargetConnection connection, EpochFence fence) {
    this.connection = connection;
    this.fence = fence;
    this.drops = new TableDrops(connection);
  }

  /** TRUNCATE_BEFORE_LOAD: empties the tables in one transaction. */
  public void empty(List<TableId> tables) {
    empty(tables, Map.of());
  }

  /**
   * The same, and columns that the target computes become ordinary ones, which the load fills.
   *
   * @param computed these columns by table
   */
  public void empty(List<TableId> tables, Map<TableId, List<String>> computed) {
    if (tables.isEmpty()) {
      return;
    }
    try {
      RepeatedTransaction.run(connection.errors(), () -> emptyOnce(tables, computed));
      LOG.info("tables emptied before the load: {}", tables.size());
    } catch (SQLException e) {
      throw connection.errors().classify("empty the target's tables", e);
    }
  }

  private void emptyOnce(List<TableId> tables, Map<TableId, List<String>> computed)
      throws SQLException {
    boolean emptied = false;
    try {
      for (Map.Entry<TableId, List<String>> table : computed.entrySet()) {
        for (String column : table.getValue()) {
          connection.execute(connection.dialect().ddl().endGeneration(table.getKey(), column));
        }
      }
      LoadDialects.of(connection.dialect()).empty(connection, tables);
      commit();
      emptied = true;
    } finally {
      if (!emptied) {
        connection.rollback();
      }
    }
  }

  /**
   * DROP_AND_CREATE: drops the tables and re-creates them with their partitions and all objects
   * they need, and plans the steps that come after their rows. All in one transaction.
   *
   * @param keysFirst true if keys are created now
   * @param rest steps to plan in addition to those of the definitions
   * @throws SluiceException.Fatal if an object outside the task depends on a table
   */
  public void create(
      List<TableId> tables,
      TableDefinitions definitions,
      boolean keysFirst,
      CompletionStepStore journal,
      List<CompletionStep> rest) {
    requireTransactionalDdl();
    waitForOtherTasks();
    drops.drop(tables);
    DefinitionRun run = new DefinitionRun(connection);
    run.withUncheckedFunctions();
    definitions.needed().forEach(run::make);
    definitions.tables().forEach(run::make);
    definitions.details().forEach(run::makeIfTaken);
    List<CompletionStep> steps = new ArrayList<>();
    for (CompletionStep key : definitions.keys()) {
      boolean first = keysFirst || definitions.adapted().contains(key.table());
      makeOrPlan(key, first, run, steps);
    }
    for (CompletionStep step : definitions.rest()) {
      makeOrPlan(step, definitions.adapted().contains(step.table()), run, steps);
    }
    definitions.adaptations().forEach(run::make);
    steps.addAll(rest);
    journal.plan(connection, tables, EnumSet.allOf(Kind.class), steps);
    try {
      commit();
    } catch (SQLException e) {
      throw connection.errors().classify("create the target's tables", e);
    }
    LOG.info(
        "tables created on the target: {} with {} keys{}, {} steps come after the rows",
        tables.size(),
        definitions.keys().size(),
        keysFirst ? "" : ", which come after the load",
        steps.size());
  }

  private static void makeOrPlan(
      CompletionStep step, boolean now, DefinitionRun run, List<CompletionStep> planned) {
    if (now && step.skipped().isEmpty()) {
      step.statements().forEach(run::make);
    } else {
      planned.add(step);
    }
  }

  /**
   * Drops tables that a load of the task created and deletes their planned steps. If there are many
   * of them, by several transactions: the server has room for so many locks.
   *
   * @throws SluiceException.Fatal if an object outside the task depends on a table
   */
  public void dropOwn(List<TableId> tables, CompletionStepStore journal) {
    requireTransactionalDdl();
    try {
      drops.dropInParts(
          tables,
          dropped -> {
            journal.plan(connection, dropped, EnumSet.allOf(Kind.class), List.of());
            commit();
          });
    } catch (SQLException e) {
      throw connection.errors().classify("drop the target's tables", e);
    }
  }

  /** True if no object other than these tables depends on one of them. Changes nothing. */
  public boolean canDrop(List<TableId> tables) {
    requireTransactionalDdl();
    return drops.canDrop(tables);
  }

  /** Why no tables are dropped and created in one transaction there; empty if they can be. */
  private static Optional<Problem> notUndone(TargetDialect dialect) {
    return dialect.ddl().isTransactional()
        ? Optional.empty()
        : Optional.of(
            new Problem(
                "TargetTablePrepMode",
                "is DROP_AND_CREATE, and on a target of type %s no tables are dropped and created in one transaction"
                    .formatted(dialect.type()),
                "TRUNCATE_BEFORE_LOAD or DO_NOTHING",
                "Create the tables on the target by hand, then set one of the two"));
  }

  /**
   * Tasks share schemas, types and extensions: two that make the same one at once would fail.
   * Whoever waits too long tries the load again.
   */
  private void waitForOtherTasks() {
    try {
      connection.waitForLocks(OTHER_TASKS);
      connection.dialect().locks().lock(connection.jdbc(), "sluice", "create tables");
      connection.waitForLocks(Duration.ZERO);
    } catch (SQLException e) {
      connection.rollback();
      throw connection.errors().classify("wait until other tasks have created their tables", e);
    }
  }

  private void requireTransactionalDdl() {
    Optional<Problem> problem = notUndone(connection.dialect());
    if (problem.isPresent()) {
      throw new SluiceException.Fatal(problem.get());
    }
  }

  private void commit() throws SQLException {
    fence.require(connection);
    connection.commitDurably();
    connection.jdbc().commit();
  }
}
