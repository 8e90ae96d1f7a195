package dev.sluice.connector.generic.database;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.retry.Polling;
import dev.sluice.connector.api.source.TaskMark;
import dev.sluice.connector.generic.catalog.JdbcServer;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A task's claim of a replication slot: an advisory lock with the slot's name as its key, in a
 * session that has the task's mark. A slot itself cannot carry a mark, and Debezium creates it
 * without a check; so two tasks that name the same slot would use the same one. Held from before
 * the slot exists until the capture ends. Threadsafe.
 */
public final class SlotClaim {
  private static final Duration POLL_INTERVAL = Duration.ofMillis(50);
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final int ANSWER_SECONDS = 5;

  private static final String OF_KEY =
      """
      FROM pg_catalog.pg_locks l LEFT JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid
      WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
        AND l.database = (SELECT oid FROM pg_catalog.pg_database
          WHERE datname = pg_catalog.current_database())
        AND (l.classid::bigint << 32) + l.objid::bigint = ?
      """;

  private final JdbcServer server;
  private final String slot;
  private final Supplier<TaskMark> mark;

  /** The session of the claim; null while it is not taken. */
  private Connection held;

  private int ownProcess;

  public SlotClaim(JdbcServer server, String slot, Supplier<TaskMark> mark) {
    this.server = server;
    this.slot = slot;
    this.mark = mark;
  }

  public String slot() {
    return slot;
  }

  /**
   * Who has claimed the slot.
   *
   * @param session the session's name; that of a Sluice task has the task's name and the beginning
   *     of its id
   * @param process of the server
   */
  public record Holder(String session, int process) {
    public Problem problem(String slot) {
      return new Problem(
          "replication slot " + slot,
          "another task or daemon has claimed it: session '%s', server process %d"
              .formatted(session, process),
          "a slot of this task alone",
          "Choose another slot.name in source.debezium.properties. If this is a copy of a task"
              + " file, give the copy another name as well: task");
    }

    /** The statement that ends this session, and no later session with the same process number. */
    String end() {
      return "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = %d AND application_name = '%s'"
          .formatted(process, session.replace("'", "''"));
    }
  }

  /**
   * Claims the slot, unless this process has done so.
   *
   * @throws SluiceException.Fatal if another task has claimed it
   * @throws SluiceException.Retryable if an earlier daemon of this task has
   */
  public synchronized void take() {
    try {
      if (held != null && held.isValid(ANSWER_SECONDS)) {
        return;
      }
      release();
      Connection session = server.open();
      try {
        if (!lock(session)) {
          throw claimed(holder(session));
        }
        held = session;
      } finally {
        if (held == null) {
          session.close();
        }
      }
    } catch (SQLException e) {
      throw server.classify("claim replication slot " + slot, e);
    }
  }

  /**
   * Uses the session that holds the claim, so that nothing can be changed after a later daemon has
   * ended the claim.
   *
   * @param attempted verb and object, for the message
   * @throws SluiceException.Retryable if the claim is lost
   */
  <T> T ask(String attempted, JdbcServer.Question<T> question) {
    Connection session;
    synchronized (this) {
      session = held;
    }
    if (session == null) {
      throw new SluiceException.Retryable(
          "could not %s: replication slot %s is not claimed".formatted(attempted, slot), null);
    }
    try {
      return question.over(session);
    } catch (SQLException e) {
      throw server.classify(attempted, e);
    }
  }

  private SluiceException claimed(Optional<Holder> holder) {
    if (holder.filter(other -> !isOwn(other)).isPresent()) {
      return new SluiceException.Fatal(holder.get().problem(slot));
    }
    // The claim is not ended here, since this daemon may itself be an earlier one that was frozen.
    return new SluiceException.Retryable(
        holder
            .map(
                earlier ->
                    ("replication slot %s is claimed by an earlier daemon of this task: session"
                            + " '%s', server process %d. If its host is gone, end that session on"
                            + " the source: %s")
                        .formatted(slot, earlier.session(), earlier.process(), earlier.end()))
            .orElseGet(
                () -> "another session claimed replication slot %s a moment ago".formatted(slot)),
        null);
  }

  private boolean isOwn(Holder holder) {
    return holder.session().equals(mark.get().sessionName());
  }

  private boolean lock(Connection session) throws SQLException {
    try (PreparedStatement settings =
        session.prepareStatement(
            "SELECT pg_catalog.set_config(name, CASE name WHEN 'application_name' THEN ? ELSE '0'"
                + " END, false), pg_catalog.pg_backend_pid() FROM pg_catalog.pg_settings WHERE name"
                + " IN ('application_name', 'idle_session_timeout')")) {
      settings.setString(1, mark.get().sessionName());
      try (ResultSet row = settings.executeQuery()) {
        row.next();
        ownProcess = row.getInt(2);
      }
    }
    try (PreparedStatement lock =
        session.prepareStatement("SELECT pg_catalog.pg_try_advisory_lock(?)")) {
      lock.setLong(1, key());
      try (ResultSet row = lock.executeQuery()) {
        row.next();
        return row.getBoolean(1);
      }
    }
  }

  /** Another task that has claimed the slot; empty if none has. */
  public Optional<Holder> another() {
    return server
        .ask("read who has claimed replication slot " + slot, this::holder)
        .filter(holder -> !isOwn(holder));
  }

  private synchronized Optional<Holder> holder(Connection session) throws SQLException {
    try (PreparedStatement question =
        session.prepareStatement(
            "SELECT coalesce(a.application_name, ''), l.pid " + OF_KEY + " AND l.pid <> ?")) {
      question.setLong(1, key());
      question.setInt(2, held == null ? 0 : ownProcess);
      try (ResultSet row = question.executeQuery()) {
        return row.next()
            ? Optional.of(new Holder(row.getString(1), row.getInt(2)))
            : Optional.empty();
      }
    }
  }

  /**
   * Ends the claim of an earlier daemon of this task, which may be frozen. The caller holds the
   * task's next epoch.
   */
  public void endEarlier() {
    boolean free =
        Polling.every(POLL_INTERVAL).waitFor("a claim to end", TIMEOUT, this::isFreeOfEarlier);
    if (!free) {
      throw new SluiceException.Retryable(
          "an earlier daemon of this task still claims replication slot %s after %d s"
              .formatted(slot, TIMEOUT.toSeconds()),
          null);
    }
  }

  private boolean isFreeOfEarlier() {
    return server.ask(
        "end the claim of replication slot " + slot,
        session -> {
          Optional<Holder> earlier = holder(session).filter(this::isOwn);
          if (earlier.isPresent()) {
            try (PreparedStatement end =
                session.prepareStatement("SELECT pg_catalog.pg_terminate_backend(?)")) {
              end.setInt(1, earlier.get().process());
              end.execute();
            }
          }
          return earlier.isEmpty();
        });
  }

  /** Whether this process has claimed the slot. */
  public synchronized boolean isHeld() {
    return held != null;
  }

  public synchronized void release() {
    if (held != null) {
      try {
        held.close();
      } catch (SQLException e) {
        throw server.classify("give up the claim of replication slot " + slot, e);
      } finally {
        held = null;
      }
    }
  }

  private long key() {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256")
              .digest(("sluice slot " + slot).getBytes(StandardCharsets.UTF_8));
      return ByteBuffer.wrap(digest).getLong();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("BUG: Java without SHA-256", e);
    }
  }
}
