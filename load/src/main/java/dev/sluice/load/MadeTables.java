package dev.sluice.load;

import dev.sluice.config.Counted;
import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.load.CompletionStep;
import dev.sluice.connector.api.load.TableOutline;
import dev.sluice.load.target.LoadDialects;
import dev.sluice.load.target.MadeTable;
import dev.sluice.load.target.TableMaking;
import dev.sluice.sink.control.schema.EpochFence;
import dev.sluice.sink.target.RepeatedTransaction;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetDialect;
import dev.sluice.sink.target.TargetServer;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * DROP_AND_CREATE on a target where a table is dropped and created at once, whatever happens next.
 * Owned by the thread that prepares the load.
 */
public final class MadeTables {
  private static final Logger LOG = LoggerFactory.getLogger(MadeTables.class);

  private final TargetServer target;
  private final TableMaking making;
  private final DropGuard guard;

  private final DropGuard ofMade;

  private MadeTables(TargetServer target, TableMaking making, RowGuard rows, boolean onlyMade) {
    this.target = target;
    this.making = making;
    this.guard = new DropGuard(making, rows, onlyMade);
    this.ofMade = new DropGuard(making, rows, true);
  }

  /** Whether tables of such a target are made this way. */
  public static boolean areOf(TargetDialect dialect) {
    return LoadDialects.of(dialect).making().isPresent();
  }

  /**
   * @param rows with the mark of the task
   * @return empty if the target runs the source's statements instead
   */
  public static Optional<MadeTables> on(TargetServer target, RowGuard rows) {
    return LoadDialects.of(target.dialect())
        .making()
        .map(making -> new MadeTables(target, making, rows, false));
  }

  /**
   * The same for tables that the task has made and makes again, whose rows are its own. It drops no
   * others, also with consent.
   */
  public static Optional<MadeTables> again(TargetServer target, RowGuard rows) {
    return LoadDialects.of(target.dialect())
        .making()
        .map(making -> new MadeTables(target, making, rows.owningAll(), true));
  }

  /** How the tables are made; asks no server. */
  public List<MadeTable> of(List<TableOutline> outlines) {
    return making.of(outlines);
  }

  /** All problems that keep the tables from being made. Leaves nothing on the target. */
  public List<Problem> objections(List<MadeTable> tables) {
    List<Problem> problems = new ArrayList<>();
    try (TargetConnection connection = target.borrow()) {
      for (MadeTable table : tables) {
        problems.addAll(table.problems());
        if (table.problems().isEmpty()) {
          RepeatedTransaction.of(target.errors(), () -> making.objection(connection, table))
              .ifPresent(
                  objection -> problems.add(table.notTaken(target.dialect().type(), objection)));
        }
      }
      return problems;
    } catch (SQLException e) {
      throw target.errors().classify("try the definitions of tables", e);
    }
  }

  /** All problems that keep tables that are there from being dropped. Changes nothing. */
  public List<Problem> problems(Collection<TableId> tables) {
    try (TargetConnection connection = target.borrow()) {
      return guard.problems(connection, tables);
    } catch (SQLException e) {
      throw target.errors().classify("look for tables on the target", e);
    }
  }

  /** The steps whose objects the target lacks. Changes nothing. */
  public List<CompletionStep> notThere(List<CompletionStep> steps) {
    List<CompletionStep> missing = new ArrayList<>();
    try (TargetConnection connection = target.borrow()) {
      for (CompletionStep step : steps) {
        if (!new StepStatements(step).areMade(connection)) {
          missing.add(step);
        }
      }
      connection.rollback();
      return missing;
    } catch (SQLException e) {
      throw target.errors().classify("look for indexes on the target", e);
    }
  }

  /** The tables that the target has and that the task made. */
  public List<MadeTable> own(List<MadeTable> tables) {
    try (TargetConnection connection = target.borrow()) {
      List<MadeTable> own = new ArrayList<>();
      for (MadeTable table : tables) {
        if (guard.isMade(connection, table.table())) {
          own.add(table);
        }
      }
      return own;
    } catch (SQLException e) {
      throw target.errors().classify("look for tables on the target", e);
    }
  }

  /** Whether the task may make a table again: it is not there, or the task made it. */
  public boolean mayMakeAgain(TableId table) {
    try (TargetConnection connection = target.borrow()) {
      return making.find(connection, table).isEmpty() || guard.isMade(connection, table);
    } catch (SQLException e) {
      throw target.errors().classify("look for " + table + " on the target", e);
    }
  }

  /**
   * Drops the tables that are there, and creates all.
   *
   * @param fence checked before each drop
   * @throws SluiceException.Fatal if one may not be dropped; those before it are gone
   */
  public void make(List<MadeTable> tables, EpochFence fence) {
    List<TableId> names = tables.stream().map(MadeTable::table).toList();
    try (TableMakingSession session = new TableMakingSession(target, making, fence)) {
      session.drop(names, guard);
      for (MadeTable table : tables) {
        session.create(table, guard);
      }
    } catch (SQLException e) {
      throw target.errors().classify("create the target's tables", e);
    }
    LOG.info("tables created on the target: {}", Counted.of(tables.size(), "table"));
    tables.forEach(
        table ->
            table
                .leftOut()
                .forEach(left -> LOG.warn("not made with table {}: {}", table.table(), left)));
  }

  /**
   * Drops those of the tables that the task made; others stay as they are, also with consent.
   *
   * @param fence checked before each drop
   */
  public void dropOwn(Collection<TableId> tables, EpochFence fence) {
    try (TableMakingSession session = new TableMakingSession(target, making, fence)) {
      List<TableId> own = new ArrayList<>();
      for (TableId table : tables) {
        if (guard.isMade(session.connection(), table)) {
          own.add(table);
        } else {
          LOG.warn("{} stays as it is: this task did not make it", table);
        }
      }
      session.drop(own, ofMade);
    } catch (SQLException e) {
      throw target.errors().classify("drop the target's tables", e);
    }
  }

  /** The steps that come after the rows of these tables. */
  public static List<CompletionStep> steps(List<MadeTable> tables) {
    return tables.stream().flatMap(table -> table.steps().stream()).toList();
  }

  /** The steps that come when nothing more is applied to these tables. */
  public static List<CompletionStep> constraints(List<MadeTable> tables) {
    return tables.stream().flatMap(table -> table.constraints().stream()).toList();
  }
}
