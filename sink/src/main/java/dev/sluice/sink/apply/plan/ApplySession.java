package dev.sluice.sink.apply.plan;

import dev.sluice.config.Counted;
import dev.sluice.config.document.SluiceException;
import dev.sluice.sink.target.NeededApart;
import dev.sluice.sink.target.RepeatedTransaction;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetDialect;
import dev.sluice.sink.window.ApplyStage;
import dev.sluice.sink.window.StageTimes;
import dev.sluice.sink.window.policy.WindowTuning;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The state of one connection while windows are applied: staging tables, row schemas, chunk size
 * and statement count. Owned by the apply thread.
 */
public final class ApplySession {
  private final TargetConnection connection;
  private final StageTimes stages;
  private final Staging staging;
  private final RowShapes shapes = new RowShapes();
  private final TextOnlyTables textOnly = new TextOnlyTables();
  private WindowTuning tuning;
  private long statements;
  private Savepoint run;

  /**
   * Why the target has refused a definition that the current work needs before its transaction, by
   * name.
   */
  private final Map<String, SluiceException.Data> refused = new HashMap<>();

  private boolean isNew = true;

  /** A session whose times are not measured. */
  public ApplySession(TargetConnection connection) {
    this(connection, new StageTimes());
  }

  /**
   * A session.
   *
   * @param stages get the time that is spent on the changes
   */
  public ApplySession(TargetConnection connection, StageTimes stages) {
    this.connection = connection;
    this.stages = stages;
    this.staging = new Staging(connection);
  }

  /** Begins work, which may begin again after a {@link NeededApart}. */
  public void beginWork() {
    staging.beginWork();
    refused.clear();
  }

  /**
   * Notes that the target has refused a definition: the work begins again, and reports it as an
   * error at its place.
   */
  public void refused(NeededApart needed, SluiceException.Data why) {
    refused.put(needed.getMessage(), why);
  }

  /**
   * @throws SluiceException.Data if the target has refused the definition
   */
  void requireNotRefused(NeededApart needed) {
    SluiceException.Data why = refused.get(needed.getMessage());
    if (why != null) {
      throw why;
    }
  }

  /** Begins a window: its settings are used from now on. */
  public void begin(WindowTuning ofWindow) {
    isNew = false;
    tuning = ofWindow;
    textOnly.beginWindow();
  }

  /** True until a window is begun. */
  public boolean isNew() {
    return isNew;
  }

  public TargetConnection connection() {
    return connection;
  }

  /** The time that follows counts for this stage, until the next one is entered. */
  public void enter(ApplyStage stage) {
    stages.enter(stage);
  }

  /** The dialect of the session's target. */
  public TargetDialect dialect() {
    return connection.dialect();
  }

  public Staging staging() {
    return staging;
  }

  /** The tables whose rows this session does not send in binary. */
  public TextOnlyTables textOnly() {
    return textOnly;
  }

  RowShapes shapes() {
    return shapes;
  }

  /** Call it after each commit. */
  public void committed() {
    staging.committed();
    shapes.committed();
  }

  /** Call it after each rollback, if the connection is used further. */
  public void rolledBack() {
    staging.rolledBack();
    shapes.rolledBack();
  }

  /** Notes that work has failed, so that facts which it took for known are read again. */
  public void overtaken() {
    isNew = true;
  }

  /**
   * Creates a temporary table that some work needs, in a separate transaction. The work itself is
   * rolled back, and begins again with the table.
   *
   * @param attempted the work, for messages
   * @param created the tables that were created in this way for the work; gets the table
   * @throws IllegalStateException if the work misses a table again
   */
  public void createApart(String attempted, Staging.Missing missing, Set<String> created)
      throws SQLException {
    if (!created.add(missing.getMessage())) {
      throw new IllegalStateException(
          "%s: the %s is missing again after it was created"
              .formatted(attempted, missing.getMessage()));
    }
    RepeatedTransaction.run(
        connection.errors(),
        () -> {
          connection.rollback();
          rolledBack();
          staging.create(missing);
          connection.jdbc().commit();
          committed();
        });
  }

  /** Closes all prepared statements, because tables were altered. */
  public void forgetStatements() throws SQLException {
    run(dialect().sessions().forgetStatements());
  }

  /** The maximum number of rows of one statement on the table. */
  public int chunkSize(TablePlan plan) {
    return tuning.chunkSize(plan.schema().table());
  }

  /** The maximum number of prepared statements for changes of single rows. */
  public int statementCacheSize() {
    return tuning.statementCacheSize();
  }

  /** The number of statements with changes since the connection was opened. */
  public long statements() {
    return statements;
  }

  public void count() {
    statements++;
  }

  /**
   * Defers deferrable constraints to the window's end, if the session is not in the replica role. A
   * source transaction may violate them until it commits.
   */
  public void deferConstraints() throws SQLException {
    if (!connection.replicaRole()) {
      run(dialect().sessions().deferConstraints());
    }
  }

  /** Checks the deferred constraints now, and fails if one is violated. */
  public void checkConstraints() throws SQLException {
    if (!connection.replicaRole()) {
      run(dialect().sessions().checkConstraints());
    }
  }

  private void run(Optional<String> sql) throws SQLException {
    if (sql.isPresent()) {
      connection.execute(sql.get());
    }
  }

  /** Runs a statement without parameters and returns the number of rows it changed. */
  public long execute(String sql) throws SQLException {
    count();
    return connection.execute(sql);
  }

  /** Returns the first column of a query's rows. */
  public List<String> texts(String sql) throws SQLException {
    try (Statement statement = connection.jdbc().createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      List<String> texts = new ArrayList<>();
      while (row.next()) {
        texts.add(row.getString(1));
      }
      return texts;
    }
  }

  /** Sets a savepoint, to which {@link #rollBackRun} goes back. */
  public void beginRun() {
    attempt(
        "set a savepoint",
        () -> {
          run = connection.jdbc().setSavepoint();
          return null;
        });
    shapes.mark();
  }

  public void rollBackRun() {
    attempt(
        "go back to a savepoint",
        () -> {
          connection.jdbc().rollback(run);
          connection.jdbc().releaseSavepoint(run);
          return null;
        });
    staging.rolledBackToSavepoint();
    shapes.backToMark();
  }

  public void keepRun() {
    attempt(
        "release a savepoint",
        () -> {
          connection.jdbc().releaseSavepoint(run);
          return null;
        });
  }

  /** Work on the target. */
  public interface Work<T> {
    T run() throws SQLException;
  }

  /**
   * Does work and classifies its failure.
   *
   * @param attempted what is done and on what, for the message
   */
  public <T> T attempt(String attempted, Work<T> work) {
    try {
      return work.run();
    } catch (SQLException e) {
      throw connection.errors().classify(attempted, e);
    }
  }

  /**
   * Requires that a statement changed as many rows as expected.
   *
   * @throws SluiceException.Data if it changed more or fewer rows
   */
  public static void mustEqual(TablePlan plan, String operation, long expected, long changed) {
    if (expected != changed) {
      throw new SluiceException.Data(
          "%s on %s: expected to change %s, changed %d"
              .formatted(operation, plan.table().id(), Counted.of(expected, "row"), changed),
          null);
    }
  }
}
