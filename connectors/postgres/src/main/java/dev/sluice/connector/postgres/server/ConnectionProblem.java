package dev.sluice.connector.postgres.server;

import dev.sluice.config.document.Problem;
import dev.sluice.config.task.Endpoint;
import java.sql.SQLException;

/** Turns a failed connection into a problem, by the SQLSTATE of server or driver. */
public final class ConnectionProblem {
  private ConnectionProblem() {}

  public static Problem of(Endpoint endpoint, SQLException error) {
    String thing = "source " + endpoint;
    String state = error.getSQLState() == null ? "" : error.getSQLState();
    return switch (state) {
      case "28P01" ->
          new Problem(
              thing,
              "the server refuses the password",
              "the password of user " + endpoint.user(),
              "Correct source.password in the task file");
      case "28000" ->
          new Problem(
              thing,
              error.getMessage(),
              "a user that may connect from this machine",
              "Create the user, or add a line for it to pg_hba.conf");
      case "3D000" ->
          new Problem(
              thing,
              "there is no database " + endpoint.database(),
              "the name of a database",
              "Correct source.url in the task file");
      case "08001", "08004", "08006" ->
          new Problem(
              thing,
              "it cannot be reached: " + error.getMessage(),
              "a server that listens at " + endpoint.host() + ":" + endpoint.port(),
              "Start the server, or correct host and port in source.url");
      default ->
          new Problem(
              thing,
              error.getMessage() + " (" + state + ")",
              "a connection",
              "See the server's log");
    };
  }
}
