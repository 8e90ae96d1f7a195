package dev.sluice.connector.mariadb.server;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * A session over which short questions are asked one after the other, such as those of each second:
 * a login for each would be the server's work, and in its log. It is opened by the first question,
 * and again after a failure. Nobody closes it: the server ends it when nothing was asked for a
 * minute. Threadsafe.
 */
final class AskingSession {
  private static final int ANSWER_SECONDS = 10;
  private static final int IDLE_SECONDS = 60;

  private final MariadbServer server;
  private Connection connection;

  AskingSession(MariadbServer server) {
    this.server = server;
  }

  synchronized <T> T ask(MariadbServer.Question<T> question) throws SQLException {
    if (connection == null || !connection.isValid(ANSWER_SECONDS)) {
      close();
      connection = open();
    }
    boolean answered = false;
    try {
      T answer = question.ask(new MariadbQuery(connection));
      answered = true;
      return answer;
    } finally {
      if (!answered) {
        close();
      }
    }
  }

  private Connection open() throws SQLException {
    Connection opened = server.open();
    try (Statement statement = opened.createStatement()) {
      statement.execute("SET SESSION wait_timeout = " + IDLE_SECONDS);
      return opened;
    } catch (SQLException e) {
      opened.close();
      throw e;
    }
  }

  /** The next question goes to whoever is at the address then. */
  synchronized void close() {
    try {
      if (connection != null) {
        connection.close();
      }
    } catch (SQLException e) {
      // It is already broken.
    } finally {
      connection = null;
    }
  }
}
