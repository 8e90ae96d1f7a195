package dev.sluice.target.mariadb.comparison;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.comparison.ComparisonTarget;
import dev.sluice.connector.api.comparison.SideIdentity;
import dev.sluice.connector.api.comparison.TargetView;
import dev.sluice.sink.target.TargetErrors;
import dev.sluice.sink.target.TargetLogin;
import dev.sluice.sink.target.TargetSessions;
import dev.sluice.target.mariadb.server.ServerKind;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;

/** A MariaDB or MySQL target's side of comparisons. Threadsafe. */
public final class MariadbComparisonTarget implements ComparisonTarget {
  private static final Duration OF_ONE_QUESTION = Duration.ofSeconds(30);

  private final ComparedServer server;

  public MariadbComparisonTarget(
      ServerKind kind, TargetSessions sessions, TargetLogin login, TargetErrors errors) {
    this.server = new ComparedServer(kind, sessions, login, errors);
  }

  @Override
  public TargetView open(Duration life) {
    return MariadbTargetView.open(server, life);
  }

  @Override
  public SideIdentity identity() {
    try (Connection session = server.open(OF_ONE_QUESTION);
        Statement statement = session.createStatement()) {
      String system = variable(statement, server.kind().identity()).orElse("unknown");
      try (ResultSet row = statement.executeQuery("SELECT DATABASE(), VERSION()")) {
        row.next();
        return new SideIdentity(
            row.getString(1), server.kind().label() + " " + row.getString(2), system);
      }
    } catch (SQLException e) {
      throw server.failed("read the identity of the " + server, e);
    }
  }

  /** A variable of the server; empty if it has none of that name. */
  static Optional<String> variable(Statement statement, String name) throws SQLException {
    try (ResultSet row =
        statement.executeQuery("SHOW GLOBAL VARIABLES WHERE Variable_name = '" + name + "'")) {
      return row.next() ? Optional.of(row.getString(2)) : Optional.empty();
    }
  }

  /** Nothing to prepare: unlike in PostgreSQL, the first read of new rows writes nothing. */
  @Override
  public boolean prepare(TableId table) {
    return true;
  }
}
