package dev.sluice.load;

import dev.sluice.config.Counted;
import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.load.CompletionStep;
import dev.sluice.connector.api.load.DefinitionStatement;
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
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * There is no transaction around it, so each step leaves something that a later attempt understands:
 * a table is there with its mark and without rows, or it is not there. The epoch is read by a session
 * of its own, as this one sees nothing but the table that it locks.
 */
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

  /** Why the tables cannot be made, all problems. Nothing that it does stays. */
  public List<Problem> objections(List<MadeTable> tables) {
    List<Problem> problems = new ArrayList<>();
    try (TargetConnection connection = target.borrow()) {
      for (MadeTable table : tables) {
        problems.addAll(table.problems());
        if (table.problems().isEmpty()) {
          RepeatedTransaction.of(target.errors(), () -> making.objection(connection, table))
              .ifPresent(objection -> problems.add(notTaken(table, objection)));
        }
      }
      return problems;
    } catch (SQLException e) {
      throw target.errors().classify("try the definitions of tables", e);
    }
  }

  private Problem notTaken(MadeTable table, String objection) {
    return new Problem(
        "table " + table.outline().source(),
        "the target does not take it: " + objection,
        "a table that %s takes: %s".formatted(target.dialect().type(), table.body()),
        "Create it on the target by hand, and set TRUNCATE_BEFORE_LOAD or DO_NOTHING; or deselect"
            + " it");
  }

  /** Why what is there may not be dropped, all problems. Changes nothing. */
  public List<Problem> problems(Collection<TableId> tables) {
    try (TargetConnection connection = target.borrow()) {
      return guard.problems(connection, tables);
    } catch (SQLException e) {
      throw target.errors().classify("look for tables on the target", e);
    }
  }

  /** Those of the steps whose objects the target does not have. Changes nothing. */
  public List<CompletionStep> notThere(List<CompletionStep> steps) {
    List<CompletionStep> missing = new ArrayList<>();
    try (TargetConnection connection = target.borrow()) {
      for (CompletionStep step : steps) {
        boolean there = true;
        for (DefinitionStatement statement : step.statements()) {
          there = there && DefinitionRun.isThere(connection, statement);
        }
        if (!there) {
          missing.add(step);
        }
      }
      connection.rollback();
      return missing;
    } catch (SQLException e) {
      throw target.errors().classify("look for indexes on the target", e);
    }
  }

  /** Those of the tables that are there and that the task made. */
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
    try (TargetConnection connection = target.borrow();
        TargetConnection epochs = target.borrow()) {
      drop(names, guard, connection, epochs, fence);
      for (MadeTable table : tables) {
        require(epochs, fence);
        create(connection, table);
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
    try (TargetConnection connection = target.borrow();
        TargetConnection epochs = target.borrow()) {
      List<TableId> own = new ArrayList<>();
      for (TableId table : tables) {
        if (guard.isMade(connection, table)) {
          own.add(table);
        } else {
          LOG.warn("{} stays as it is: this task did not make it", table);
        }
      }
      drop(own, ofMade, connection, epochs, fence);
    } catch (SQLException e) {
      throw target.errors().classify("drop the target's tables", e);
    }
  }

  /** A table goes before those that it references. */
  private void drop(
      List<TableId> tables,
      DropGuard by,
      TargetConnection connection,
      TargetConnection epochs,
      EpochFence fence)
      throws SQLException {
    Map<TableId, Set<TableId>> references = making.references(connection, tables);
    TableMaking.Permission permission = by.permission(tables, references);
    List<TableId> left = new ArrayList<>(tables);
    while (!left.isEmpty()) {
      List<TableId> referenced = new ArrayList<>();
      for (TableId table : left) {
        if (references.getOrDefault(table, Set.of()).stream().anyMatch(left::contains)) {
          referenced.add(table);
        } else {
          drop(table, permission, connection, epochs, fence);
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

  private void drop(
      TableId table,
      TableMaking.Permission permission,
      TargetConnection connection,
      TargetConnection epochs,
      EpochFence fence)
      throws SQLException {
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
                        require(epochs, fence);
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

  private static void require(TargetConnection epochs, EpochFence fence) throws SQLException {
    fence.require(epochs);
    epochs.rollback();
  }

  private void create(TargetConnection connection, MadeTable table) throws SQLException {
    try {
      RepeatedTransaction.run(
          target.errors(), () -> making.create(connection, table, guard.comment(table.table())));
    } catch (SQLException e) {
      if (making.isThere(e)) {
        throw there(connection, table.table(), e);
      }
      if (connection.errors().faultOf(e).mayPass()) {
        throw e;
      }
      throw new SluiceException.Fatal(notTaken(table, connection.errors().textOf(e)));
    }
  }

  /** An earlier attempt may just have made it. What somebody else made is left alone. */
  private SluiceException there(TargetConnection connection, TableId table, SQLException error)
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

  /** The steps that come after the rows of these tables. */
  public static List<CompletionStep> steps(List<MadeTable> tables) {
    return tables.stream().flatMap(table -> table.steps().stream()).toList();
  }

  /** The steps that come when nothing more is applied to these tables. */
  public static List<CompletionStep> constraints(List<MadeTable> tables) {
    return tables.stream().flatMap(table -> table.constraints().stream()).toList();
  }
}
