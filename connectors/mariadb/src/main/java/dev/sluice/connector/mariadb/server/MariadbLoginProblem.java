package dev.sluice.connector.mariadb.server;

import dev.sluice.config.document.Problem;
import dev.sluice.config.task.Endpoint;
import java.sql.SQLException;

/** Turns a failed connection into a problem, by the server's error number. Stateless. */
public final class MariadbLoginProblem {
  /** A number that no server uses: it is another server than the task file says. */
  static final int OTHER_SERVER = -1;

  private MariadbLoginProblem() {}

  public static Problem of(Endpoint endpoint, SQLException error) {
    String thing = "source " + endpoint;
    return switch (error.getErrorCode()) {
      case 1045, 1698 ->
          new Problem(
              thing,
              "the server refuses the user or its password from this machine",
              "a user that may connect from here, and its password",
              "Correct source.password or the user in source.url, or create the user for this host");
      case 1044, 1049 ->
          new Problem(
              thing,
              "there is no database " + endpoint.database() + ", or the user may not see it",
              "the name of a database, which is case-sensitive",
              "Correct source.url, or grant SELECT on that database");
      case OTHER_SERVER ->
          new Problem(
              thing,
              error.getMessage(),
              "a server of the source's type",
              "Correct source.url, or source.type if that server can be a source");
      default ->
          String.valueOf(error.getSQLState()).startsWith("08")
              ? new Problem(
                  thing,
                  "it cannot be reached: " + error.getMessage(),
                  "a server that listens at " + endpoint.host() + ":" + endpoint.port(),
                  "Start the server, or correct host and port in source.url")
              : new Problem(
                  thing,
                  "%s (error %d)".formatted(error.getMessage(), error.getErrorCode()),
                  "a server that answers",
                  "See the server's error log");
    };
  }
}
