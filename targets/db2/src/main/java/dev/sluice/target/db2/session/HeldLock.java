package dev.sluice.target.db2.session;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * The lock is a row that a separate session has inserted and never commits. A session that inserts
 * the same row waits; one that reads uncommitted rows sees it. The lock's session ends with the
 * process, which removes the row, so the table never has committed rows.
 */
/** A named lock. Owned by the session that took it. */
final class HeldLock {
  private static final Logger LOG = LoggerFactory.getLogger(HeldLock.class);
  private static final String SCHEMA = '"' + Db2Session.LOCKS_SCHEMA + '"';
  private static final String TABLE = SCHEMA + ".\"" + Db2Session.LOCKS_TABLE + '"';
  private static final String HELD = "SELECT name FROM " + TABLE + " WHERE name = ? WITH UR";

  /** SQLSTATEs of Db2 and Derby for a missing schema, table or object. */
  private static final Set<String> MISSING = Set.of("42704", "42X05", "42Y07");

  private static final Set<String> THERE = Set.of("42710", "X0Y32", "X0Y68");

  /** Longer than two sessions that see no row need to insert their own. */
  private static final Duration MOMENT = Duration.ofSeconds(10);

  private final String name;
  private final Db2Session session;

  private HeldLock(String name, Db2Session session) {
    this.name = name;
    this.session = session;
  }

  /** Waits until nobody else has the lock. */
  static HeldLock waitFor(Db2Session.Opener opener, String name) throws SQLException {
    return insert(opener, name, Duration.ZERO);
  }

  /** Takes the lock; empty if another session has it or takes it at this moment. */
  static Optional<HeldLock> take(Db2Session.Opener opener, String name) throws SQLException {
    try (Db2Session reader = open(opener)) {
      if (isHeld(reader, name)) {
        return Optional.empty();
      }
    }
    try {
      return Optional.of(insert(opener, name, MOMENT));
    } catch (SQLException e) {
      try (Db2Session reader = open(opener)) {
        if (isHeld(reader, name)) {
          return Optional.empty();
        }
      }
      throw e;
    }
  }

  /** Whether any session has the lock. */
  static boolean isHeld(Connection session, String name) throws SQLException {
    try (PreparedStatement statement = session.prepareStatement(HELD)) {
      statement.setString(1, name);
      try (ResultSet row = statement.executeQuery()) {
        return row.next();
      }
    } catch (SQLException e) {
      if (MISSING.contains(e.getSQLState())) {
        return false;
      }
      throw e;
    }
  }

  private static HeldLock insert(Db2Session.Opener opener, String name, Duration limit)
      throws SQLException {
    Db2Session session = open(opener);
    try {
      requireTable(session);
      session.limitStatements(limit);
      try (PreparedStatement statement =
          session.prepareStatement("INSERT INTO " + TABLE + " (name) VALUES (?)")) {
        statement.setString(1, name);
        statement.executeUpdate();
      }
      return new HeldLock(name, session);
    } catch (SQLException e) {
      session.close();
      throw e;
    }
  }

  private static Db2Session open(Db2Session.Opener opener) throws SQLException {
    Db2Session session = new Db2Session(opener.open(), opener);
    session.setAutoCommit(false);
    return session;
  }

  private static void requireTable(Db2Session session) throws SQLException {
    try (PreparedStatement statement = session.prepareStatement(HELD)) {
      statement.setString(1, "");
      statement.executeQuery().close();
    } catch (SQLException e) {
      if (!MISSING.contains(e.getSQLState())) {
        throw e;
      }
      create(session, "CREATE SCHEMA " + SCHEMA);
      create(session, "CREATE TABLE " + TABLE + " (name VARCHAR(600) NOT NULL PRIMARY KEY)");
    }
    session.commit();
  }

  /** Each in its own transaction; another session may have created it meanwhile. */
  private static void create(Db2Session session, String sql) throws SQLException {
    try (Statement statement = session.createStatement()) {
      statement.executeUpdate(sql);
      session.commit();
    } catch (SQLException e) {
      session.rollback();
      if (!THERE.contains(e.getSQLState())) {
        throw e;
      }
    }
  }

  boolean has(String other) {
    return name.equals(other);
  }

  /**
   * @throws SQLException if the session that holds the lock is lost
   */
  void requireHeld() throws SQLException {
    if (!isHeld(session, name)) {
      throw new SQLException("the lock %s was lost".formatted(name), "40001");
    }
  }

  /** If the session cannot be closed it is lost, and its lock with it. */
  void release() {
    try {
      session.close();
    } catch (SQLException e) {
      LOG.debug("release the lock {}", name, e);
    }
  }
}
