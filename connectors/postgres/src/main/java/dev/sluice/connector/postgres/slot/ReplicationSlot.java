package dev.sluice.connector.postgres.slot;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.FoundRetention;
import dev.sluice.connector.api.source.LogReading;
import dev.sluice.connector.api.source.LogRetention;
import dev.sluice.connector.api.source.RetentionState;
import dev.sluice.connector.api.source.TaskMark;
import dev.sluice.connector.postgres.server.SourceFailures;
import dev.sluice.connector.postgres.server.SourceServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The task's replication slot. It alone stores how far the source's log was read. It advances only
 * to positions that the journal has acknowledged, until the task is cut over. Each call is from one
 * thread.
 */
public final class ReplicationSlot implements LogRetention {
  private static final Logger LOG = LoggerFactory.getLogger(ReplicationSlot.class);

  private static final String STATE =
      """
      SELECT confirmed_flush_lsn, active_pid, coalesce(wal_status = 'lost', false),
             coalesce(pg_catalog.pg_wal_lsn_diff(written.lsn, restart_lsn), 0),
             coalesce(pg_catalog.pg_wal_lsn_diff(written.lsn, confirmed_flush_lsn), 0),
             safe_wal_size, coalesce(wal_status = 'unreserved', false)
      FROM pg_catalog.pg_replication_slots, (SELECT
        CASE WHEN pg_catalog.pg_is_in_recovery() THEN pg_catalog.pg_last_wal_receive_lsn()
             ELSE pg_catalog.pg_current_wal_lsn() END) AS written (lsn)
      WHERE slot_name = ?
      """;

  private static final String SENT =
      """
      SELECT r.sent_lsn FROM pg_catalog.pg_replication_slots s
      JOIN pg_catalog.pg_stat_replication r ON r.pid = s.active_pid
      WHERE s.slot_name = ?
      """;

  private final SourceServer server;
  private final String name;
  private final String publication;
  private final TaskMark mark;

  /**
   * @param publication whose changes are read from it
   * @param mark identifies the task's own sessions
   */
  public ReplicationSlot(SourceServer server, String name, String publication, TaskMark mark) {
    this.server = server;
    this.name = name;
    this.publication = publication;
    this.mark = mark;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String kind() {
    return "replication slot";
  }

  @Override
  public String limitedBy() {
    return "max_slot_wal_keep_size";
  }

  @Override
  public Problem namedOtherThan(String own) {
    return new Problem(
        "source.slot-name",
        name,
        own + ", the slot of this task, which holds the source's log for it",
        "Set source.slot-name: " + own);
  }

  /** The slot's present state; empty if it does not exist. */
  @Override
  public Optional<RetentionState> state() {
    try (Connection connection = server.borrow()) {
      return state(connection);
    } catch (SQLException e) {
      throw SourceFailures.classify("reading replication slot " + name, e);
    }
  }

  /** The slot of this name and its reader, whoever owns it; empty if there is none. */
  @Override
  public Optional<FoundRetention> found() {
    try (Connection connection = server.borrow()) {
      return FoundSlot.find(connection, name).map(slot -> slot);
    } catch (SQLException e) {
      throw SourceFailures.classify("reading replication slot " + name, e);
    }
  }

  /** The end of the source's log, this slot and its reader, read together. */
  @Override
  public LogReading reading() {
    try (Connection connection = server.borrow()) {
      return new LogReading(PostgresLog.current(connection), state(connection), sent(connection));
    } catch (SQLException e) {
      throw SourceFailures.classify("reading replication slot " + name, e);
    }
  }

  @Override
  public Position named(String text) {
    return Position.parse(text);
  }

  @Override
  public Position before(Instant commitTime, Position fence) throws InterruptedException {
    return new SlotTimeSearch(server, name, publication)
        .before(commitTime, fence, mark.sessionName());
  }

  private Optional<Position> sent(Connection connection) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(SENT)) {
      statement.setString(1, name);
      try (ResultSet rows = statement.executeQuery()) {
        return rows.next()
            ? Optional.ofNullable(rows.getString(1)).map(Position::parse)
            : Optional.empty();
      }
    }
  }

  public Optional<RetentionState> state(Connection connection) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(STATE)) {
      statement.setString(1, name);
      try (ResultSet rows = statement.executeQuery()) {
        if (!rows.next()) {
          return Optional.empty();
        }
        String confirmed = rows.getString(1);
        return Optional.of(
            new RetentionState(
                confirmed == null ? Position.ZERO : Position.parse(confirmed),
                number(rows, 2),
                rows.getBoolean(3),
                rows.getLong(4),
                rows.getLong(5),
                number(rows, 6),
                rows.getBoolean(7)));
      }
    }
  }

  private static OptionalLong number(ResultSet rows, int column) throws SQLException {
    long value = rows.getLong(column);
    return rows.wasNull() ? OptionalLong.empty() : OptionalLong.of(value);
  }

  /**
   * Creates the slot and exports its snapshot. The server waits for each transaction that is open
   * or prepared now. From PostgreSQL 17 on it is a failover slot.
   *
   * @param timeout the setting TransactionConsistencyTimeout
   * @throws SluiceException.Fatal if it takes longer, naming the transactions that it waits for; no
   *     slot remains then
   */
  @Override
  public ExportedSnapshot create(Duration timeout) {
    return create(timeout, false);
  }

  /**
   * Creates a temporary slot for its snapshot: it is dropped when the snapshot closes. One that an
   * earlier daemon of this task still holds is dropped first.
   */
  public ExportedSnapshot createTemporary(Duration timeout) {
    release();
    return create(timeout, true);
  }

  private ExportedSnapshot create(Duration timeout, boolean temporary) {
    SlotCreation creation = new SlotCreation(server, name, temporary, timeout);
    try {
      return creation.run(mark.sessionName());
    } catch (SQLException e) {
      SluiceException failure = creation.failure(e);
      dropLeftover(failure);
      throw failure;
    }
  }

  /** Drops a slot that the server created although its answer was lost. */
  private void dropLeftover(SluiceException failure) {
    try {
      Optional<RetentionState> leftover = state();
      if (leftover.isPresent() && leftover.get().activePid().isEmpty() && !isAnothers(failure)) {
        drop();
      }
    } catch (SluiceException e) {
      failure.addSuppressed(e);
    }
  }

  /** Whether creating a slot failed because one of that name exists. */
  @Override
  public boolean isAnothers(SluiceException failure) {
    return SlotCreation.isNameTaken(failure);
  }

  /**
   * Drops the slot if it exists; terminates a process of this task that still reads from it. The
   * caller has verified that the slot is the task's own.
   *
   * @return whether it existed
   * @throws SluiceException.Fatal if it certainly belongs to another task or program
   */
  @Override
  public boolean drop() {
    try (Connection connection = server.borrow()) {
      if (FoundSlot.find(connection, name).isEmpty()) {
        return false;
      }
      new SlotRelease(name, mark).run(connection);
      try (PreparedStatement statement =
          connection.prepareStatement("SELECT pg_catalog.pg_drop_replication_slot(?)")) {
        statement.setString(1, name);
        statement.execute();
      }
      LOG.info("replication slot {} dropped", name);
      return true;
    } catch (SQLException e) {
      throw SourceFailures.classify("dropping replication slot " + name, e);
    }
  }

  /**
   * Terminates the server process by which an earlier daemon of this task reads the slot, and waits
   * until the slot is free. The caller holds the task's next epoch.
   *
   * @throws SluiceException.Fatal if the slot certainly belongs to another task or program; its
   *     reader is not terminated
   */
  @Override
  public void release() {
    try (Connection connection = server.borrow()) {
      new SlotRelease(name, mark).run(connection);
    } catch (SQLException e) {
      throw SourceFailures.classify("freeing replication slot " + name, e);
    }
  }
}
