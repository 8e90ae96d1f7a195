package dev.sluice.target.db2.catalog;

import dev.sluice.config.TableId;
import dev.sluice.sink.target.LoadStatements;
import dev.sluice.target.db2.session.Db2Session;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/** Guards of a load into Db2. Stateless, threadsafe. */
public final class Db2LoadStatements implements LoadStatements {
  /** How long the guard waits for all tables that others may use. */
  private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(2);

  /** Does not read statistics: the driver's metadata do not have them. */
  @Override
  public List<Existing> existing(Connection session, Collection<TableId> tables)
      throws SQLException {
    List<Existing> found = new ArrayList<>();
    for (TableId table : new TreeSet<>(tables)) {
      if (Db2Metadata.hasTable(session, table)) {
        found.add(new Existing(table, table.quoted(), 0));
      }
    }
    return found;
  }

  @Override
  public Optional<String> lock(List<Existing> tables) {
    return Optional.empty();
  }

  @Override
  public String countUpTo(Existing table, int limit) {
    return "SELECT COUNT(*) FROM (SELECT 1 AS one FROM %s FETCH FIRST %d ROWS ONLY) AS counted"
        .formatted(table.from(), limit);
  }

  @Override
  public Limit limitStatements(Connection session, Duration limit) throws SQLException {
    Db2Session limited = session.unwrap(Db2Session.class);
    Duration before = limited.statementLimit();
    limited.limitStatements(limit);
    return () -> limited.restoreStatementLimit(before);
  }

  /**
   * Checks only tables with an identity, since setting it needs a lock on the complete table. The
   * first lock that is not granted in time ends the session, so only one table is named.
   */
  @Override
  public List<TableId> inUse(Connection session, Collection<TableId> tables) throws SQLException {
    List<TableId> counted = new ArrayList<>();
    for (TableId table : new TreeSet<>(tables)) {
      if (Db2Counter.of(session, table).isPresent()) {
        counted.add(table);
      }
    }
    session.rollback();
    long deadline = System.nanoTime() + LOCK_TIMEOUT.toNanos();
    for (TableId table : counted) {
      Duration left = Duration.ofNanos(Math.max(1, deadline - System.nanoTime()));
      try {
        session.unwrap(Db2Session.class).lockTable(table.quoted(), "EXCLUSIVE", left);
      } catch (SQLException e) {
        if (Db2Session.HELD.equals(e.getSQLState())) {
          return List.of(table);
        }
        throw e;
      }
      // The lock is released at once.
      session.rollback();
    }
    return List.of();
  }

  @Override
  public String listOfSessions() {
    return "LIST APPLICATIONS SHOW DETAIL has it";
  }

  /**
   * None: RUNSTATS is not SQL. The server collects statistics by itself, unless AUTO_RUNSTATS is
   * off.
   */
  @Override
  public Optional<String> analyze(TableId table) {
    return Optional.empty();
  }
}
