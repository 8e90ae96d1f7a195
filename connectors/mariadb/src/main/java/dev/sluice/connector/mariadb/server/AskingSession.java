package dev.sluice.connector.mariadb.server;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * A session for frequent short queries, such as those of each second: a login for each would load
 * the server, and fill its log. It is opened by the first query, and again after a failure. Nobody
 * closes it: the server ends it after a minute without a query. Threadsafe.
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

  /** Ends the session, so that the next query goes to the server that is then at the address. */
  synchronized void close() {
    try {
      if (connection != null) {
        connection.close();
      }
    } catch (SQLException e) {
      // The session is already broken.
    } finally {
      connection = null;
    }
  }
}
