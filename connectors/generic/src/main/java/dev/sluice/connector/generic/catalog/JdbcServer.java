package dev.sluice.connector.generic.catalog;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.generic.config.GenericConfig;
import dev.sluice.connector.generic.process.ConnectorFolder;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

/**
 * Sessions on the source by the driver that the connector brings: for definitions and checks, never
 * for rows. Threadsafe; {@code toString} is user and address.
 */
public final class JdbcServer {
  private static final int ANSWER_SECONDS = 5;

  private final GenericConfig config;

  public JdbcServer(GenericConfig config) {
    this.config = config;
  }

  public GenericConfig config() {
    return config;
  }

  public ConnectorFolder folder() {
    return ConnectorFolder.at(config.folder());
  }

  /** A session; the caller classifies the failure together with that of its statements. */
  public Connection open() throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("user", config.endpoint().user());
    if (config.endpoint().password().isPresent()) {
      properties.setProperty("password", config.endpoint().password().reveal());
    }
    if (DriverManager.getLoginTimeout() == 0) {
      DriverManager.setLoginTimeout(ANSWER_SECONDS * 2);
    }
    return folder().connect(config.definitionsUrl(), properties);
  }

  /** What is asked over a session. */
  public interface Question<T> {
    T over(Connection connection) throws SQLException;
  }

  /**
   * @param attempted verb and object, for the message
   */
  public <T> T ask(String attempted, Question<T> question) {
    try (Connection connection = open()) {
      return question.over(connection);
    } catch (SQLException e) {
      throw classify(attempted, e);
    }
  }

  /** The rows of a query without parameters, as texts. */
  public static List<String[]> rows(Connection connection, String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet found = statement.executeQuery(query)) {
      int columns = found.getMetaData().getColumnCount();
      List<String[]> rows = new ArrayList<>();
      while (found.next()) {
        String[] row = new String[columns];
        for (int i = 0; i < columns; i++) {
          row[i] = found.getString(i + 1);
        }
        rows.add(row);
      }
      return rows;
    }
  }

  /** Returns when the source has answered. */
  public void requireAnswer() {
    ask("reach the source", connection -> connection.isValid(ANSWER_SECONDS));
  }

  /** A refused login, right or statement does not pass by itself; what else happens may. */
  public SluiceException classify(String attempted, SQLException error) {
    String message =
        "could not %s of %s: %s (error %d, SQLSTATE %s)"
            .formatted(attempted, this, text(error), error.getErrorCode(), error.getSQLState());
    return isLasting(error)
        ? new SluiceException.Fatal(message, error)
        : new SluiceException.Retryable(message, error);
  }

  /** The problem that the source does not answer, for checks. */
  public Problem problem(SQLException error) {
    return new Problem(
        "source " + this,
        "%s (error %d, SQLSTATE %s)"
            .formatted(text(error), error.getErrorCode(), error.getSQLState()),
        "a server that answers by the driver in " + config.folder(),
        ConnectorFolder.NO_DRIVER.equals(error.getSQLState())
            ? "Put the database's JDBC driver into the folder"
            : "Correct source.url and source.password; source.debezium.jdbc-url names another way to"
                + " the same database");
  }

  private static boolean isLasting(SQLException error) {
    String state = String.valueOf(error.getSQLState());
    return state.startsWith("28")
        || state.startsWith("42")
        || state.equals(ConnectorFolder.NO_DRIVER);
  }

  private static String text(SQLException error) {
    return String.valueOf(error.getMessage()).replaceAll("\\s*\\n\\s*", "; ");
  }

  @Override
  public String toString() {
    return config.endpoint().toString();
  }
}
