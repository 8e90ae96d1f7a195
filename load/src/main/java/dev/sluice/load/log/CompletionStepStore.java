package dev.sluice.load.log;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.CompletionStep;
import dev.sluice.connector.api.load.CompletionStep.Kind;
import dev.sluice.connector.api.load.CompletionStep.Stage;
import dev.sluice.connector.api.load.DefinitionStatement;
import dev.sluice.connector.api.load.SqlDialect;
import dev.sluice.load.log.StoredStep.State;
import dev.sluice.sink.control.schema.EpochFence;
import dev.sluice.sink.control.schema.LoadTables;
import dev.sluice.sink.target.RepeatedTransaction;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.target.control.ControlStatements;
import dev.sluice.sink.target.control.StoredTime;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/*
 * The statements themselves are stored, not the definitions they come from: when a step runs, the
 * source's tables may already have been altered, and the target's not yet. A step is recorded as
 * done in the transaction that runs it, so it is never run twice and never lost.
 */
/**
 * Stores the completion steps of a task's tables in the target's control schema. Threadsafe and
 * stateless. Methods with a connection act in its open transaction.
 */
public final class CompletionStepStore {
  private final TargetServer server;
  private final String controlSchema;
  private final String task;
  private final String table;

  public CompletionStepStore(TargetServer server, String controlSchema, String task) {
    this.server = server;
    this.controlSchema = controlSchema;
    this.task = task;
    this.table = LoadTables.COMPLETION_STEP.in(controlSchema);
  }

  /**
   * Replaces the planned steps of the tables.
   *
   * @param kinds the kinds of earlier steps that are deleted
   */
  public void plan(
      TargetConnection connection,
      Collection<TableId> tables,
      Set<Kind> kinds,
      List<CompletionStep> steps) {
    try {
      forget(connection, tables, kinds);
      String sql =
          "INSERT INTO "
              + table
              + " (task, step, table_schema, table_name, stage, place, kind, name,"
              + " references_schema, references_table, things, unless, statements, state, detail)"
              + " SELECT ?, coalesce(max(step), 0) + 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM "
              + table
              + " WHERE task = ?";
      try (PreparedStatement statement = connection.jdbc().prepareStatement(sql)) {
        for (CompletionStep step : steps) {
          insert(connection, statement, step);
        }
      }
    } catch (SQLException e) {
      connection.rollback();
      throw server.errors().classify("plan the completion of the tables of task " + task, e);
    }
  }

  /**
   * Replaces the planned steps of the tables in a separate transaction, which is durable when this
   * returns.
   *
   * @param fence keeps a superseded daemon from planning steps again that its successor has done
   * @throws dev.sluice.config.document.SluiceException.Fenced if another daemon claimed the task;
   *     nothing is changed then
   */
  public void plan(
      Collection<TableId> tables, Set<Kind> kinds, List<CompletionStep> steps, EpochFence fence) {
    try {
      RepeatedTransaction.run(server.errors(), () -> planOnce(tables, kinds, steps, fence));
    } catch (SQLException e) {
      throw server.errors().classify("plan the completion of the tables of task " + task, e);
    }
  }

  private void planOnce(
      Collection<TableId> tables, Set<Kind> kinds, List<CompletionStep> steps, EpochFence fence)
      throws SQLException {
    try (TargetConnection connection = server.borrow()) {
      connection.commitDurably();
      plan(connection, tables, kinds, steps);
      fence.require(connection);
      connection.jdbc().commit();
    }
  }

  /** All steps in the order in which they were planned. */
  public List<StoredStep> read() {
    try (TargetConnection connection = server.borrow()) {
      if (!LoadTables.COMPLETION_STEP.isIn(connection, controlSchema)) {
        return List.of();
      }
      String sql =
          "SELECT step, table_schema, table_name, stage, place, kind, name, references_schema,"
              + " references_table, things, unless, statements, state, detail, started, ended FROM "
              + table
              + " WHERE task = ? ORDER BY step";
      try (PreparedStatement statement = connection.jdbc().prepareStatement(sql)) {
        statement.setString(1, task);
        List<StoredStep> steps = new ArrayList<>();
        try (ResultSet row = statement.executeQuery()) {
          while (row.next()) {
            steps.add(step(connection.dialect().control(), row));
          }
        }
        return steps;
      }
    } catch (SQLException e) {
      throw server.errors().classify("read the completion of the tables of task " + task, e);
    }
  }

  /**
   * Locks the step until the transaction ends.
   *
   * @return true if the step is still to be run; false if it is done, or if another daemon that
   *     took over the task has replaced it
   */
  public boolean hold(TargetConnection connection, StoredStep planned) throws SQLException {
    CompletionStep step = planned.step();
    String sql =
        "SELECT state FROM "
            + table
            + " WHERE task = ? AND step = ? AND table_schema = ? AND table_name = ? AND kind = ?"
            + " AND name = ? FOR UPDATE";
    try (PreparedStatement statement = connection.jdbc().prepareStatement(sql)) {
      statement.setString(1, task);
      statement.setInt(2, planned.number());
      statement.setString(3, step.table().schema());
      statement.setString(4, step.table().name());
      statement.setString(5, step.kind().name());
      statement.setString(6, step.name());
      try (ResultSet row = statement.executeQuery()) {
        if (!row.next()) {
          return false;
        }
        State state = State.of(row.getString(1));
        return state == State.WAITING || state == State.FAILED;
      }
    }
  }

  /** Records the result of a step. */
  public void note(
      TargetConnection connection,
      int number,
      State state,
      String detail,
      Instant started,
      Instant ended)
      throws SQLException {
    String sql =
        "UPDATE "
            + table
            + " SET state = ?, detail = ?, started = ?, ended = ? WHERE task = ? AND step = ?";
    try (PreparedStatement statement = connection.jdbc().prepareStatement(sql)) {
      statement.setString(1, state.text());
      statement.setString(2, detail);
      statement.setObject(3, started.atOffset(ZoneOffset.UTC));
      statement.setObject(4, ended.atOffset(ZoneOffset.UTC));
      statement.setString(5, task);
      statement.setInt(6, number);
      statement.executeUpdate();
    }
  }

  /**
   * By their numbers, which are the key: a search for each table would read all steps each time.
   */
  private void forget(TargetConnection connection, Collection<TableId> tables, Set<Kind> kinds)
      throws SQLException {
    Set<TableId> forgotten = Set.copyOf(tables);
    String planned =
        "SELECT step, table_schema, table_name, kind FROM " + table + " WHERE task = ?";
    String sql =
        "DELETE FROM "
            + table
            + " WHERE task = ? AND step = ? AND table_schema = ? AND table_name = ? AND kind = ?";
    try (PreparedStatement reading = connection.jdbc().prepareStatement(planned);
        PreparedStatement statement = connection.jdbc().prepareStatement(sql)) {
      reading.setString(1, task);
      boolean any = false;
      try (ResultSet row = reading.executeQuery()) {
        while (row.next()) {
          TableId of = new TableId(row.getString(2), row.getString(3));
          Kind kind = Kind.valueOf(row.getString(4));
          if (forgotten.contains(of) && kinds.contains(kind)) {
            statement.setString(1, task);
            statement.setInt(2, row.getInt(1));
            statement.setString(3, of.schema());
            statement.setString(4, of.name());
            statement.setString(5, kind.name());
            statement.addBatch();
            any = true;
          }
        }
      }
      if (any) {
        statement.executeBatch();
      }
    }
  }

  /** A step in another dialect is skipped, so that all that is stored can be run here. */
  private CompletionStep withoutForeign(CompletionStep planned) {
    return planned
        .foreignTo(dialect())
        .map(dialect -> "it is written for " + dialect + ", which the target cannot run")
        .map(reason -> planned.skippedFor(Optional.of(reason)))
        .orElse(planned);
  }

  private void insert(
      TargetConnection connection, PreparedStatement statement, CompletionStep planned)
      throws SQLException {
    CompletionStep step = withoutForeign(planned);
    statement.setString(1, task);
    statement.setString(2, step.table().schema());
    statement.setString(3, step.table().name());
    statement.setString(4, step.stage().name());
    statement.setInt(5, step.place());
    statement.setString(6, step.kind().name());
    statement.setString(7, step.name());
    statement.setString(8, step.references().map(TableId::schema).orElse(null));
    statement.setString(9, step.references().map(TableId::name).orElse(null));
    ControlStatements control = connection.dialect().control();
    control.setTexts(statement, 10, texts(step, DefinitionStatement::thing));
    control.setTexts(statement, 11, texts(step, DefinitionStatement::unless));
    control.setTexts(statement, 12, texts(step, DefinitionStatement::sql));
    State state = step.skipped().isPresent() ? State.SKIPPED : State.WAITING;
    statement.setString(13, state.text());
    statement.setString(14, step.skipped().orElse(""));
    statement.setString(15, task);
    statement.executeUpdate();
  }

  private static List<String> texts(
      CompletionStep step, Function<DefinitionStatement, String> part) {
    return step.statements().stream().map(part).toList();
  }

  private SqlDialect dialect() {
    return new SqlDialect(server.dialect().type());
  }

  private StoredStep step(ControlStatements control, ResultSet row) throws SQLException {
    List<String> things = control.texts(row, 10);
    List<String> unless = control.texts(row, 11);
    List<String> sql = control.texts(row, 12);
    List<DefinitionStatement> statements = new ArrayList<>();
    for (int i = 0; i < things.size(); i++) {
      statements.add(new DefinitionStatement(dialect(), things.get(i), unless.get(i), sql.get(i)));
    }
    State state = State.of(row.getString(13));
    String detail = row.getString(14);
    return new StoredStep(
        row.getInt(1),
        new CompletionStep(
            new TableId(row.getString(2), row.getString(3)),
            Stage.valueOf(row.getString(4)),
            row.getInt(5),
            Kind.valueOf(row.getString(6)),
            row.getString(7),
            row.getString(8) == null
                ? Optional.empty()
                : Optional.of(new TableId(row.getString(8), row.getString(9))),
            state == State.SKIPPED ? Optional.of(detail) : Optional.empty(),
            statements),
        state,
        detail,
        StoredTime.read(row, 15),
        StoredTime.read(row, 16));
  }
}
