package dev.sluice.sink.apply;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.sink.apply.plan.AppliedCounts;
import dev.sluice.sink.apply.plan.ApplySession;
import dev.sluice.sink.apply.plan.ApplySettings;
import dev.sluice.sink.apply.plan.SourceShapes;
import dev.sluice.sink.apply.plan.Staging;
import dev.sluice.sink.apply.plan.TablePlans;
import dev.sluice.sink.apply.plan.UnknownColumns;
import dev.sluice.sink.apply.round.DeferredChecks;
import dev.sluice.sink.apply.round.RoundApply;
import dev.sluice.sink.apply.round.RoundScope;
import dev.sluice.sink.control.position.LaneCheckpoints;
import dev.sluice.sink.control.position.LaneHold;
import dev.sluice.sink.control.position.RowShapeTable;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.target.TargetCatalog;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetFault;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.window.compaction.Round;
import dev.sluice.sink.window.compaction.TableChanges;
import dev.sluice.sink.window.policy.WindowTuning;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * Corrects rows of the target between two windows: in a transaction that holds the checkpoint row
 * of the table's lane under the epoch, and does not move it. The rows are applied as a round of a
 * window is: delete, update, insert. Immutable, threadsafe: each call has its own session.
 */
public final class RowCorrections implements CorrectionErrors {
  /** Short, so that other writers do not wait for long. */
  private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(1);

  private final TargetServer server;
  private final Checkpoint claimed;
  private final UnaryOperator<TableId> targetOf;
  private final ApplySettings settings;
  private final WindowTuning tuning;
  private final Duration longestHold;

  /**
   * @param claimed the claim of this daemon
   * @param targetOf maps a source table to its target table
   * @param tuning the size of statements
   * @param longestHold after this time a correction is given up, so that windows can be applied
   */
  public RowCorrections(
      TargetServer server,
      Checkpoint claimed,
      UnaryOperator<TableId> targetOf,
      ApplySettings settings,
      WindowTuning tuning,
      Duration longestHold) {
    this.server = server;
    this.claimed = claimed;
    this.targetOf = targetOf;
    // The rows come from a comparison, which never alters a table.
    this.settings = new ApplySettings(settings.task(), UnknownColumns.LEFT_OUT);
    this.tuning = tuning;
    this.longestHold = longestHold;
  }

  /** The lane was held for longer than it may be; nothing is changed, or all of it is. */
  public static final class HeldTooLong extends Exception {
    private static final long serialVersionUID = 1L;

    public HeldTooLong(Duration limit, Throwable cause) {
      super("it takes longer than %d s".formatted(limit.toSeconds()), cause);
    }
  }

  /** Somebody else holds a row for longer than a correction waits; nothing is changed. */
  public static final class RowHeld extends Exception {
    private static final long serialVersionUID = 1L;

    RowHeld(Throwable cause) {
      super("somebody else holds a row of the target", cause);
    }
  }

  /** Decides what is corrected while no window is applied to the table. */
  public interface Decision {

    /**
     * Returns the changes; empty for none. Called again, under another hold, if a temporary table
     * had to be created first.
     *
     * @param applied the position up to which the target has the changes of the table's lane
     * @param others locks out other writers of the rows, before the rows are read
     */
    Optional<TableChanges> at(Position applied, OtherWriters others) throws SQLException;
  }

  /** Other sessions that write to the table. */
  public interface OtherWriters {

    /**
     * Locks them out of rows until the correction ends.
     *
     * @param key the target's columns of the key; empty for a table without one, which is locked
     *     completely
     * @return the keys whose rows are locked; any other key has no row, or another session holds
     *     its row
     */
    Set<RowKey> keepFrom(List<String> key, List<RowKey> rows) throws SQLException;
  }

  /** Work in the same transaction. */
  public interface Record {

    /**
     * Before the rows are changed.
     *
     * @throws SluiceException.Data if it could not be written
     */
    default void check(TargetConnection connection) throws SQLException {}

    /** After the rows were changed. */
    void write(TargetConnection connection) throws SQLException;
  }

  /**
   * Corrects rows of one table.
   *
   * @param record records the correction, in the same durable transaction
   * @return whether anything was changed
   * @throws SluiceException.Fenced if another daemon claimed the task
   * @throws SluiceException.Data if the target rejects a row; nothing is changed then
   */
  public boolean correct(TableId source, Decision decision, Record record)
      throws HeldTooLong, RowHeld {
    try (TargetConnection connection = server.connect()) {
      ApplySession session = new ApplySession(connection);
      session.beginWork();
      Set<String> createdApart = new HashSet<>();
      while (true) {
        try {
          return correctOnce(session, source, decision, record);
        } catch (Staging.Missing e) {
          session.createApart("correct rows of " + source, e, createdApart);
        }
      }
    } catch (SQLException e) {
      throw server.errors().classify("correct rows of " + targetOf.apply(source), e);
    }
  }

  /**
   * @throws Staging.Missing if it has to begin again, with another hold
   */
  private boolean correctOnce(
      ApplySession session, TableId source, Decision decision, Record record)
      throws SQLException, HeldTooLong, RowHeld {
    TargetConnection connection = session.connection();
    connection.commitDurably();
    Position applied = hold(connection, source);
    HoldLimit limit = HoldLimit.of(connection, longestHold);
    try (limit) {
      return correct(session, source, applied, decision, record);
    } catch (SQLException | RuntimeException e) {
      if (limit.isReached()) {
        throw new HeldTooLong(longestHold, e);
      }
      if (isOfHeldRow(connection, e)) {
        throw new RowHeld(e);
      }
      throw e;
    }
  }

  private static boolean isOfHeldRow(TargetConnection connection, Exception failure) {
    return (failure instanceof SQLException ? failure : failure.getCause())
            instanceof SQLException error
        && connection.dialect().correctionLocks().isOfHeldRow(error);
  }

  @Override
  public boolean isOfRow(SluiceException.Data error) {
    return server.errors().faultOf(error).map(TargetFault::isOfRow).orElse(true);
  }

  @Override
  public boolean isOvertaken(SluiceException.Retryable error) {
    return server
        .errors()
        .faultOf(error)
        .filter(fault -> fault == TargetFault.TRANSACTION_CONFLICT)
        .isPresent();
  }

  @Override
  public boolean isConflict(SluiceException.Data error) {
    return server
        .errors()
        .faultOf(error)
        .filter(fault -> fault == TargetFault.DUPLICATE_ROW)
        .isPresent();
  }

  private Position hold(TargetConnection connection, TableId source) throws SQLException {
    String schema = settings.task().controlSchema();
    return new LaneHold(schema, claimed, new LaneCheckpoints(server, schema), targetOf)
        .hold(connection, List.of(source))
        .get(source)
        .position();
  }

  private boolean correct(
      ApplySession session, TableId source, Position applied, Decision decision, Record record)
      throws SQLException {
    TargetConnection connection = session.connection();
    connection.waitForLocks(LOCK_TIMEOUT);
    Optional<TableChanges> changes =
        decision.at(
            applied,
            (key, rows) ->
                connection
                    .dialect()
                    .correctionLocks()
                    .keepWritersOut(connection, targetOf.apply(source), key, rows));
    if (changes.isEmpty()) {
      connection.rollback();
      return false;
    }
    record.check(connection);
    apply(session, changes.get());
    record.write(connection);
    connection.jdbc().commit();
    return true;
  }

  private void apply(ApplySession session, TableChanges changes) throws SQLException {
    session.begin(tuning);
    session.deferConstraints();
    DeferredChecks deferred = new DeferredChecks(session);
    SourceShapes shapes =
        new SourceShapes(
            new RowShapeTable(settings.task().controlSchema(), claimed.task()), targetOf);
    TablePlans plans =
        new TablePlans(session, new TargetCatalog(), shapes, settings, server.user(), deferred);
    new RoundApply(session, plans, settings, RoundScope.ALL, deferred)
        .apply(new Round.Net(List.of(), List.of(changes)), false, new AppliedCounts());
    deferred.check();
    session.checkConstraints();
  }
}
