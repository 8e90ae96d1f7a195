package dev.sluice.connector.postgres.slot;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.postgres.server.SourceFailures;
import dev.sluice.connector.postgres.server.SourceServer;
import dev.sluice.connector.postgres.server.TaskMark;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The replication slot: the only memory of how far the source's log was read. Sluice never advances
 * it by itself; only what the journal has acknowledged does, until the task is cut over. Each use
 * is from one thread.
 */
public final class ReplicationSlot {
  private static final Logger LOG = LoggerFactory.getLogger(ReplicationSlot.class);

  private static final String QUERY_CANCELED = "57014";

  private static final String STATE =
      """
      SELECT confirmed_flush_lsn, active_pid, coalesce(wal_status = 'lost', false),
             coalesce(pg_catalog.pg_wal_lsn_diff(
               CASE WHEN pg_catalog.pg_is_in_recovery() THEN pg_catalog.pg_last_wal_receive_lsn()
                    ELSE pg_catalog.pg_current_wal_lsn() END, restart_lsn), 0),
             safe_wal_size, coalesce(wal_status = 'unreserved', false)
      FROM pg_catalog.pg_replication_slots WHERE slot_name = ?
      """;

  private static final String SENT =
      """
      SELECT r.sent_lsn FROM pg_catalog.pg_replication_slots s
      JOIN pg_catalog.pg_stat_replication r ON r.pid = s.active_pid
      WHERE s.slot_name = ?
      """;

  private static final String EXISTS = "42710";

  /** The first that can hand a slot on to a standby. */
  private static final int HANDS_ON = 17;

  private final SourceServer server;
  private final String name;
  private final TaskMark mark;

  /**
   * @param mark by which sessions of the task are known
   */
  public ReplicationSlot(SourceServer server, String name, TaskMark mark) {
    this.server = server;
    this.name = name;
    this.mark = mark;
  }

  public String name() {
    return name;
  }

  /** The slot as it is now; empty where there is none. */
  public Optional<SlotState> state() {
    try (Connection connection = server.open()) {
      return state(connection);
    } catch (SQLException e) {
      throw SourceFailures.classify("looking for replication slot " + name, e);
    }
  }

  /** The slot of this name with who reads from it, whosever it is; empty where there is none. */
  public Optional<FoundSlot> found() {
    try (Connection connection = server.open()) {
      return FoundSlot.find(connection, name);
    } catch (SQLException e) {
      throw SourceFailures.classify("looking for replication slot " + name, e);
    }
  }

  /** The end of the source's log, this slot and its reader, looked at together. */
  public LogReading reading() {
    try (Connection connection = server.open()) {
      return new LogReading(SourceLog.current(connection), state(connection), sent(connection));
    } catch (SQLException e) {
      throw SourceFailures.classify("looking at replication slot " + name, e);
    }
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

  public Optional<SlotState> state(Connection connection) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(STATE)) {
      statement.setString(1, name);
      try (ResultSet rows = statement.executeQuery()) {
        if (!rows.next()) {
          return Optional.empty();
        }
        String confirmed = rows.getString(1);
        return Optional.of(
            new SlotState(
                confirmed == null ? Position.ZERO : Position.parse(confirmed),
                number(rows, 2),
                rows.getBoolean(3),
                rows.getLong(4),
                number(rows, 5),
                rows.getBoolean(6)));
      }
    }
  }

  private static OptionalLong number(ResultSet rows, int column) throws SQLException {
    long value = rows.getLong(column);
    return rows.wasNull() ? OptionalLong.empty() : OptionalLong.of(value);
  }

  /**
   * Creates the slot, with the snapshot of everything before it. The server waits for each
   * transaction that is open or prepared now. A server that can hands it on to its standbys.
   *
   * @param timeout DMS's TransactionConsistencyTimeout
   * @throws SluiceException.Fatal where it took longer, naming the transactions it waited for; no
   *     slot is left behind then
   */
  public ExportedSnapshot create(Duration timeout) {
    return create(timeout, false);
  }

  /**
   * The same, for the sake of the snapshot alone: the slot goes with it. One that an earlier daemon
   * of this task left behind is ended first.
   */
  public ExportedSnapshot createTemporary(Duration timeout) {
    release();
    return create(timeout, true);
  }

  private ExportedSnapshot create(Duration timeout, boolean temporary) {
    Connection connection = null;
    try {
      connection = server.openForReplication(mark.sessionName());
      ExportedSnapshot snapshot = create(connection, timeout, temporary);
      LOG.info(
          "replication slot {} created at {}, its snapshot is {}",
          name,
          snapshot.position(),
          snapshot.name());
      return snapshot;
    } catch (SQLException e) {
      closeAfter(connection, e);
      SluiceException failure = creationFailure(e, timeout);
      dropLeftover(failure);
      throw failure;
    }
  }

  private ExportedSnapshot create(Connection connection, Duration timeout, boolean temporary)
      throws SQLException {
    boolean handedOn = !temporary && connection.getMetaData().getDatabaseMajorVersion() >= HANDS_ON;
    try (Statement statement = connection.createStatement()) {
      statement.setQueryTimeout((int) Math.max(1, timeout.toSeconds()));
      try (ResultSet rows =
          statement.executeQuery(
              "CREATE_REPLICATION_SLOT "
                  + TableId.quote(name)
                  + (temporary ? " TEMPORARY" : "")
                  + " LOGICAL pgoutput "
                  + (handedOn ? "(SNAPSHOT 'export', FAILOVER)" : "EXPORT_SNAPSHOT"))) {
        rows.next();
        return new ExportedSnapshot(
            connection,
            rows.getString("snapshot_name"),
            Position.parse(rows.getString("consistent_point")));
      }
    }
  }

  private SluiceException creationFailure(SQLException error, Duration timeout) {
    if (EXISTS.equals(error.getSQLState())) {
      return new SluiceException.Fatal(
          new Problem(
                  "replication slot " + name,
                  "somebody else has made one of that name",
                  "a name that no other task or program uses",
                  "Leave that slot alone, and name another one for this task: source.slot-name")
              .toString(),
          error);
    }
    if (!QUERY_CANCELED.equals(error.getSQLState())) {
      return SourceFailures.classify("creating replication slot " + name, error);
    }
    List<OpenTransaction> open = SourceLog.openTransactions(server);
    return new SluiceException.Fatal(
        new Problem(
            "replication slot " + name,
            "its creation waited "
                + timeout.toSeconds()
                + " s for transactions that are open or prepared"
                + (open.isEmpty() ? "" : ": " + open),
            "no transaction longer than TransactionConsistencyTimeout",
            "End these transactions, or raise TransactionConsistencyTimeout"));
  }

  /** The server may have created the slot although its answer never came. */
  private void dropLeftover(SluiceException failure) {
    try {
      Optional<SlotState> leftover = state();
      if (leftover.isPresent() && leftover.get().activePid().isEmpty() && !isAnothers(failure)) {
        drop();
      }
    } catch (SluiceException e) {
      failure.addSuppressed(e);
    }
  }

  /** Whether creating a slot failed because there is one of that name. */
  public static boolean isAnothers(SluiceException failure) {
    return failure.getCause() instanceof SQLException cause && EXISTS.equals(cause.getSQLState());
  }

  /**
   * Drops the slot where it exists; ends the process of this task that still reads from it. The
   * caller knows that the slot is the task's own.
   *
   * @return whether there was one
   * @throws SluiceException.Fatal where it is certainly not this task's
   */
  public boolean drop() {
    try (Connection connection = server.open()) {
      if (FoundSlot.find(connection, name).isEmpty()) {
        return false;
      }
      release(connection);
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
   * Ends the server process that an earlier daemon of this task left on the slot, and waits until
   * the slot is free. The caller holds the task's next epoch.
   *
   * @throws SluiceException.Fatal where the slot is certainly not this task's: what reads from it
   *     is left alone
   */
  public void release() {
    try (Connection connection = server.open()) {
      release(connection);
    } catch (SQLException e) {
      throw SourceFailures.classify("freeing replication slot " + name, e);
    }
  }

  private void release(Connection connection) throws SQLException {
    long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
    OptionalLong pid = ownReader(connection);
    while (pid.isPresent()) {
      LOG.info("server process {} still reads from slot {}: it is ended", pid.getAsLong(), name);
      try (PreparedStatement statement =
          connection.prepareStatement("SELECT pg_catalog.pg_terminate_backend(?)")) {
        statement.setInt(1, (int) pid.getAsLong());
        statement.execute();
      }
      if (System.nanoTime() > deadline) {
        throw new SluiceException.Retryable(
            "replication slot %s is still read from by server process %d after 30 s"
                .formatted(name, pid.getAsLong()),
            null);
      }
      pause();
      pid = ownReader(connection);
    }
  }

  private OptionalLong ownReader(Connection connection) throws SQLException {
    Optional<FoundSlot> found = FoundSlot.find(connection, name);
    if (found.isPresent() && found.get().isForeignTo(mark)) {
      throw new SluiceException.Fatal(found.get().leftAlone());
    }
    return found.map(FoundSlot::activePid).orElse(OptionalLong.empty());
  }

  private static void pause() {
    try {
      Thread.sleep(50);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SluiceException.Retryable("waiting for the replication slot was interrupted", e);
    }
  }

  private static void closeAfter(Connection connection, SQLException error) {
    if (connection != null) {
      try {
        connection.close();
      } catch (SQLException e) {
        error.addSuppressed(e);
      }
    }
  }
}
