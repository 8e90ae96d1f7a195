package dev.sluice.connector.comparison;

import dev.sluice.config.document.SluiceException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.postgresql.PGConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One session of a view, with its settings. Owned by one thread at a time. */
final class SideSession implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SideSession.class);

  /** How long after the server should have ended a silent session the client ends it. */
  private static final Duration SILENCE = Duration.ofSeconds(10);

  private final Connection jdbc;

  private SideSession(Connection jdbc) {
    this.jdbc = jdbc;
  }

  static SideSession open(SideServer server, Duration life) {
    try {
      Connection jdbc = server.open();
      try {
        // A server that hangs, or has vanished, does not end it.
        jdbc.setNetworkTimeout(
            Runnable::run,
            (int) Math.min(Integer.MAX_VALUE, SideSettings.longest(life).plus(SILENCE).toMillis()));
        jdbc.setAutoCommit(true);
        SideSession session = new SideSession(jdbc);
        session.execute(SideSettings.of(life) + ";" + server.settings());
        return session;
      } catch (SQLException e) {
        jdbc.close();
        throw e;
      }
    } catch (SQLException e) {
      throw opening(server, e);
    }
  }

  private static SluiceException opening(SideServer server, SQLException error) {
    return server.failed("open a session for a comparison on the " + server, error);
  }

  /** The number of the server's process. */
  int process() {
    try {
      return jdbc.unwrap(PGConnection.class).getBackendPID();
    } catch (SQLException e) {
      throw new IllegalStateException("BUG: a session of another driver", e);
    }
  }

  /** Runs statements without parameters. */
  void execute(String sql) throws SQLException {
    try (Statement statement = jdbc.createStatement()) {
      statement.execute(sql);
    }
  }

  /** Runs a statement. Returns the server's warning; empty without one. */
  Optional<String> warningOf(String sql) throws SQLException {
    try (Statement statement = jdbc.createStatement()) {
      statement.execute(sql);
      return Optional.ofNullable(statement.getWarnings()).map(SQLException::getMessage);
    }
  }

  /** Reads the rows of a result. */
  interface Rows<T> {
    T read(ResultSet rows) throws SQLException;
  }

  /**
   * Runs a query.
   *
   * @param values a String, a Long or a String array each
   */
  <T> T query(String sql, List<?> values, Rows<T> rows) throws SQLException {
    try (PreparedStatement statement = jdbc.prepareStatement(sql)) {
      for (int i = 0; i < values.size(); i++) {
        Object value = values.get(i);
        if (value instanceof String[] array) {
          statement.setArray(i + 1, jdbc.createArrayOf("text", array));
        } else if (value instanceof Long[] array) {
          statement.setArray(i + 1, jdbc.createArrayOf("int8", array));
        } else if (value instanceof Long number) {
          statement.setLong(i + 1, number);
        } else {
          statement.setString(i + 1, (String) value);
        }
      }
      try (ResultSet found = statement.executeQuery()) {
        return rows.read(found);
      }
    }
  }

  /** Ends the open transaction. Does not fail on a broken connection. */
  void rollback() {
    try {
      execute("ROLLBACK");
    } catch (SQLException e) {
      LOG.debug("roll back on a broken connection", e);
    }
  }

  /** Cancels the running statement on the server. From any thread. */
  void cancel() {
    try {
      jdbc.unwrap(PGConnection.class).cancelQuery();
    } catch (SQLException e) {
      LOG.debug("cancel a statement", e);
    }
  }

  @Override
  public void close() {
    try {
      jdbc.close();
    } catch (SQLException e) {
      LOG.debug("close of a broken connection", e);
    }
  }
}
