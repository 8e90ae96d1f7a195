package dev.sluice.sink.control.schema;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.control.schema.Checkpoint.SourceServer;
import dev.sluice.sink.target.RepeatedTransaction;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads, claims and writes the checkpoints of tasks in the control schema. Threadsafe: each call
 * uses its own connection, and its writes are durable when it returns.
 */
public final class CheckpointStore {
  private static final Logger LOG = LoggerFactory.getLogger(CheckpointStore.class);

  private static final Duration REMOVAL_LOCK_TIMEOUT = Duration.ofSeconds(1);

  static final String COLUMNS =
      "task, epoch, position, durable, journal_term, journal_transaction, next_offset,"
          + " journal_topic_id, source_system, source_timeline";

  private final TargetServer server;
  private final String controlSchema;
  private final String table;
  private final CheckpointClaim claim;

  /**
   * @param controlSchema the schema of the task's control tables on the target
   */
  public CheckpointStore(TargetServer server, String controlSchema) {
    this.server = server;
    this.controlSchema = controlSchema;
    this.table = ProgressTables.CHECKPOINT.in(controlSchema);
    this.claim = new CheckpointClaim(server, controlSchema);
  }

  /** Creates the control schema, its tables and their indexes if they are missing. */
  public void create() {
    ControlSchema.create(server, controlSchema);
  }

  /** The same without indexes that take a while: reads are slower until {@link #create}. */
  public void createTables() {
    new ControlSchemaCreation(server, controlSchema).run();
  }

  /** Whether this is the name of a control table. */
  public static boolean isControlTable(String name) {
    return ControlSchema.hasTable(name);
  }

  /**
   * Reads the task's checkpoint; empty if it was never claimed or the control schema is missing.
   */
  public Optional<Checkpoint> read(String task) {
    try (TargetConnection connection = server.borrow()) {
      if (!ControlSchema.exists(connection, controlSchema)) {
        return Optional.empty();
      }
      try (PreparedStatement statement =
          connection
              .jdbc()
              .prepareStatement("SELECT " + COLUMNS + " FROM " + table + " WHERE task = ?")) {
        statement.setString(1, task);
        try (ResultSet row = statement.executeQuery()) {
          return row.next() ? Optional.of(checkpointOf(row)) : Optional.empty();
        }
      }
    } catch (SQLException e) {
      throw ControlSchema.failure(server, controlSchema, "read the checkpoint of task " + task, e);
    }
  }

  /**
   * Claims the task: takes the next epoch for all lanes, so that the previous owner cannot write
   * any more. A new task begins at position 0/0. Waits for a window in flight of the previous
   * owner.
   */
  public Checkpoint claim(String task) {
    return claim(task, Long.MAX_VALUE, 0, Duration.ZERO);
  }

  /**
   * The same with a limited wait.
   *
   * @param timeout how long to wait for that window; zero waits without limit
   * @throws SluiceException.Retryable if it takes longer
   */
  public Checkpoint claim(String task, Duration timeout) {
    return claim(task, Long.MAX_VALUE, 0, timeout);
  }

  /**
   * The same for the previous owner, unless another daemon has claimed the task since.
   *
   * @param held the epoch that the caller held last
   * @throws SluiceException.Fenced if another daemon claimed the task
   */
  public Checkpoint claimAfter(String task, long held) {
    return claimAfter(task, held, 0);
  }

  /**
   * The same with an epoch above a given one, which a target that was set back has forgotten.
   *
   * @param used the highest epoch that is known to have been used
   * @throws SluiceException.Fenced if another daemon claimed the task
   */
  public Checkpoint claimAfter(String task, long held, long used) {
    return claim(task, held, used, Duration.ZERO);
  }

  private Checkpoint claim(String task, long held, long used, Duration timeout) {
    try {
      return RepeatedTransaction.of(server.errors(), () -> claim.run(task, held, used, timeout));
    } catch (SQLException e) {
      throw ControlSchema.failure(server, controlSchema, "claim the checkpoint of task " + task, e);
    }
  }

  /**
   * Writes all fields of the checkpoint, for example at the end of a full load. Tables that were
   * followed up to the former checkpoint are not followed any more.
   *
   * @throws SluiceException.Fenced if its epoch is not the newest any more
   */
  public void write(Checkpoint checkpoint) {
    write(checkpoint, connection -> {});
  }

  /**
   * The same together with a change of other control tables of the task: both are there, or none.
   *
   * @throws SluiceException.Fenced if its epoch is not the newest any more
   */
  public void write(Checkpoint checkpoint, Change with) {
    try {
      RepeatedTransaction.run(server.errors(), () -> writeOnce(checkpoint, with));
    } catch (SQLException e) {
      throw server.errors().classify("write the checkpoint of task " + checkpoint.task(), e);
    }
  }

  private void writeOnce(Checkpoint checkpoint, Change with) throws SQLException {
    String sql =
        "UPDATE "
            + table
            + " SET position = ?, durable = ?, journal_term = ?,"
            + " journal_transaction = ?, next_offset = ?, journal_topic_id = ?, source_system = ?,"
            + " source_timeline = ?, updated_at = CURRENT_TIMESTAMP WHERE task = ? AND epoch = ?";
    try (TargetConnection connection = server.borrow();
        PreparedStatement statement = connection.jdbc().prepareStatement(sql)) {
      connection.commitDurably();
      statement.setString(1, checkpoint.position().toString());
      statement.setString(2, checkpoint.durable().toString());
      statement.setLong(3, checkpoint.journalTerm());
      statement.setLong(4, checkpoint.journalTransaction());
      statement.setLong(5, checkpoint.nextOffset());
      statement.setString(6, checkpoint.journalTopicId().orElse(null));
      statement.setString(7, checkpoint.source().map(SourceServer::systemIdentifier).orElse(null));
      statement.setObject(8, checkpoint.source().map(SourceServer::timeline).orElse(null));
      statement.setString(9, checkpoint.task());
      statement.setLong(10, checkpoint.epoch());
      if (statement.executeUpdate() != 1) {
        throw fenced(checkpoint.task(), checkpoint.epoch());
      }
      RereadMarks.voidTask(connection, controlSchema, checkpoint.task());
      with.make(connection);
      connection.jdbc().commit();
    }
  }

  /** Work inside a transaction that holds the task's checkpoint row; it may be done again. */
  public interface Change {
    void make(TargetConnection connection) throws SQLException;
  }

  /**
   * Changes control tables of a task in one durable transaction that holds its checkpoint row.
   *
   * @param claimed the claim of this daemon
   * @param attempted what is done, for messages
   * @throws SluiceException.Fenced if another daemon claimed the task
   */
  public void change(Checkpoint claimed, String attempted, Change change) {
    try {
      RepeatedTransaction.run(server.errors(), () -> changeOnce(claimed, change));
    } catch (SQLException e) {
      throw server.errors().classify(attempted + " of task " + claimed.task(), e);
    }
  }

  private void changeOnce(Checkpoint claimed, Change change) throws SQLException {
    try (TargetConnection connection = server.borrow()) {
      connection.commitDurably();
      hold(connection, claimed);
      change.make(connection);
      connection.jdbc().commit();
    }
  }

  private void hold(TargetConnection connection, Checkpoint claimed) throws SQLException {
    claim
        .locked(connection, claimed.task())
        .filter(row -> row.epoch() == claimed.epoch())
        .orElseThrow(() -> fenced(claimed.task(), claimed.epoch()));
  }

  /**
   * Deletes all rows of the task in the control schema.
   *
   * @return whether there were any
   */
  public boolean drop(String task) {
    try (TargetConnection connection = server.borrow()) {
      if (!ControlSchema.exists(connection, controlSchema)) {
        return false;
      }
      connection.commitDurably();
      boolean was = ControlSchema.empty(connection, controlSchema, task);
      connection.jdbc().commit();
      return was;
    } catch (SQLException e) {
      throw server.errors().classify("drop the checkpoint of task " + task, e);
    }
  }

  /**
   * Drops the control tables, and the schema if Sluice created it, if no task uses them. They stay
   * if another session uses them at this moment; no other session waits long for this one.
   */
  public void removeUnused() {
    try (TargetConnection connection = server.borrow()) {
      connection.waitForLocks(REMOVAL_LOCK_TIMEOUT);
      if (ControlSchema.removeUnused(connection, controlSchema)) {
        connection.jdbc().commit();
        LOG.info("no task is left in {}: its tables were dropped", controlSchema);
      }
    } catch (SQLException e) {
      LOG.info("the unused tables of {} stay: {}", controlSchema, e.getMessage());
    }
  }

  public static SluiceException.Fenced fenced(String task, long epoch) {
    return new SluiceException.Fenced(
        "task %s was claimed by another daemon: epoch %d is not the newest any more"
            .formatted(task, epoch));
  }

  public static SluiceException.Fenced lost(String task, TableId table) {
    return new SluiceException.Fenced(
        "task %s was claimed by another daemon: %s is not suspended any more"
            .formatted(task, table));
  }

  static Checkpoint checkpointOf(ResultSet row) throws SQLException {
    String system = row.getString(9);
    int timeline = row.getInt(10);
    return new Checkpoint(
        row.getString(1),
        row.getLong(2),
        Position.parse(row.getString(3)),
        Position.parse(row.getString(4)),
        row.getLong(5),
        row.getLong(6),
        row.getLong(7),
        Optional.ofNullable(row.getString(8)),
        system == null ? Optional.empty() : Optional.of(new SourceServer(system, timeline)));
  }
}
