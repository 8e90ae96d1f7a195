package dev.sluice.sink.apply.plan;

import dev.sluice.config.Counted;
import dev.sluice.config.document.SluiceException;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetErrors;
import dev.sluice.sink.window.policy.WindowTuning;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * What the phases share while they work on one connection: its staging tables, the shapes that rows
 * had, the size of a chunk, and the count of statements. Owned by the apply thread.
 */
public final class ApplySession {
  private final TargetConnection connection;
  private final Staging staging;
  private final RowShapes shapes = new RowShapes();
  private WindowTuning tuning;
  private long statements;
  private Savepoint run;
  private boolean isNew = true;

  public ApplySession(TargetConnection connection) {
    this.connection = connection;
    this.staging = new Staging(connection);
  }

  /** From now on the settings of another window hold. */
  public void begin(WindowTuning ofWindow) {
    tuning = ofWindow;
  }

  /** Whether this is asked for the first time. */
  public boolean isNew() {
    boolean asked = isNew;
    isNew = false;
    return asked;
  }

  public TargetConnection connection() {
    return connection;
  }

  public Staging staging() {
    return staging;
  }

  RowShapes shapes() {
    return shapes;
  }

  /** To be told after each commit. */
  public void committed() {
    staging.committed();
    shapes.committed();
  }

  /** To be told after each rollback of a connection that goes on. */
  public void rolledBack() {
    staging.rolledBack();
    shapes.rolledBack();
  }

  /** Gives up what was prepared: tables are not what they were. */
  public void forgetStatements() throws SQLException {
    connection.execute("DEALLOCATE ALL");
  }

  /** Rows that a statement on the table carries at most. */
  public int chunkSize(TablePlan plan) {
    return tuning.chunkSize(plan.schema().table());
  }

  /** Statements that may be kept prepared for changes of single rows. */
  public int statementCacheSize() {
    return tuning.statementCacheSize();
  }

  /** Statements that carried changes since the connection was opened. */
  public long statements() {
    return statements;
  }

  public void count() {
    statements++;
  }

  /**
   * Outside the replica role: lets deferrable constraints wait for the window's end, as a source
   * transaction may break them until it commits.
   */
  public void deferConstraints() throws SQLException {
    if (!connection.replicaRole()) {
      connection.execute("SET CONSTRAINTS ALL DEFERRED");
    }
  }

  /** Raises what they find. */
  public void checkConstraints() throws SQLException {
    if (!connection.replicaRole()) {
      connection.execute("SET CONSTRAINTS ALL IMMEDIATE");
    }
  }

  /** Runs a statement without parameters; gives the rows it changed. */
  public long execute(String sql) throws SQLException {
    count();
    return connection.execute(sql);
  }

  /** The first column of a query's rows. */
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

  /** From here on everything can be taken back by {@link #takeBackRun}. */
  public void beginRun() {
    attempt(
        "set a savepoint",
        () -> {
          run = connection.jdbc().setSavepoint();
          return null;
        });
    shapes.mark();
  }

  public void takeBackRun() {
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

  /** A piece of work on the target. */
  public interface Work<T> {
    T run() throws SQLException;
  }

  /**
   * Does a piece of work and tells its failure as what it is.
   *
   * @param attempted what is done and on what
   */
  public static <T> T attempt(String attempted, Work<T> work) {
    try {
      return work.run();
    } catch (SQLException e) {
      throw TargetErrors.classify(attempted, e);
    }
  }

  /**
   * Holds a statement to account for what it carried.
   *
   * @throws SluiceException.Data where it changed more or fewer rows
   */
  public static void mustEqual(TablePlan plan, String operation, long expected, long met) {
    if (expected != met) {
      throw new SluiceException.Data(
          "%s on %s was to change %s and changed %d"
              .formatted(operation, plan.table().id(), Counted.of(expected, "row"), met),
          null);
    }
  }
}
