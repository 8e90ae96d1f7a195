package dev.sluice.engine.ddl;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * One session of an application, twice: in a database that nobody replicates and in the source.
 * Each statement runs in both, first there, and must end in the same way. Owned by one thread.
 */
public final class TwinSession implements AutoCloseable {
  /** What a statement of another session that is still open keeps from going on. */
  static final String LOCKED = "55P03";

  private final String name;
  private final Connection twin;
  private final Connection source;
  private boolean open;

  /** How a statement ended. */
  private record Outcome(String state, int rows, String message) {
    boolean succeeded() {
      return state.isEmpty();
    }
  }

  public TwinSession(String name, Connection twin, Connection source) throws SQLException {
    this.name = name;
    this.twin = twin;
    this.source = source;
    twin.setAutoCommit(false);
    for (Connection connection : List.of(twin, source)) {
      try (Statement statement = connection.createStatement()) {
        // A lock that the twin does not get is not waited for; the source must have it soon.
        statement.execute("SET lock_timeout = " + (connection == twin ? "'20ms'" : "'20s'"));
      }
    }
    twin.commit();
  }

  public String name() {
    return name;
  }

  public boolean isOpen() {
    return open;
  }

  SeenCatalog catalog() throws SQLException {
    SeenCatalog catalog = SeenCatalog.of(twin);
    if (!open) {
      twin.commit();
    }
    return catalog;
  }

  void begin() throws SQLException {
    open = true;
    source.setAutoCommit(false);
    for (Connection connection : List.of(twin, source)) {
      try (Statement statement = connection.createStatement()) {
        statement.execute("SAVEPOINT s");
      }
    }
  }

  /** Ends the transaction; a deferred constraint may refuse its commit. */
  String end(boolean commit) throws SQLException {
    Outcome first = commit ? attempt(twin, null) : new Outcome("", 0, "");
    Outcome second = commit ? attempt(source, null) : new Outcome("", 0, "");
    twin.rollback();
    source.rollback();
    open = false;
    source.setAutoCommit(true);
    compare(commit ? "COMMIT" : "ROLLBACK", first, second);
    return first.state();
  }

  /**
   * Runs a statement.
   *
   * @param sourceDecides whether PostgreSQL itself may refuse it for the publication
   * @return its SQLSTATE; empty where it succeeded
   * @throws AssertionError where the source did not take it as the twin did
   */
  String run(String sql, boolean sourceDecides) throws SQLException {
    if (sourceDecides) {
      Outcome outcome = inSource(sql);
      if (outcome.succeeded()) {
        compare(sql, inTwin(sql), outcome);
        if (!open) {
          twin.commit();
        }
      }
      return outcome.state();
    }
    Outcome first = inTwin(sql);
    if (first.state().equals(LOCKED)) {
      endTwin();
      return LOCKED;
    }
    if (!open && first.succeeded()) {
      Outcome committed = attempt(twin, null);
      first = committed.succeeded() ? first : committed;
    }
    Outcome second = inSource(sql);
    endTwin();
    compare(sql, first, second);
    return first.state();
  }

  private Outcome inTwin(String sql) throws SQLException {
    return open ? inSavepoint(twin, sql) : attempt(twin, sql);
  }

  private void endTwin() throws SQLException {
    if (!open) {
      twin.rollback();
    }
  }

  private Outcome inSource(String sql) throws SQLException {
    return open ? inSavepoint(source, sql) : attempt(source, sql);
  }

  private static Outcome inSavepoint(Connection connection, String sql) throws SQLException {
    if (sql.matches("(?s)(SAVEPOINT|ROLLBACK TO|RELEASE) .*")) {
      // A savepoint must outlive this one.
      return attempt(connection, sql);
    }
    try (Statement statement = connection.createStatement()) {
      statement.execute("SAVEPOINT one");
      Outcome outcome = attempt(connection, sql);
      statement.execute(outcome.succeeded() ? "RELEASE one" : "ROLLBACK TO one");
      return outcome;
    }
  }

  /** Runs it; null commits. */
  private static Outcome attempt(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      if (sql == null) {
        connection.commit();
        return new Outcome("", 0, "");
      }
      statement.execute(sql);
      return new Outcome("", statement.getUpdateCount(), warnings(statement));
    } catch (SQLException e) {
      return new Outcome(e.getSQLState(), 0, e.getMessage());
    }
  }

  private static String warnings(Statement statement) throws SQLException {
    List<String> warnings = new ArrayList<>();
    for (SQLWarning warning = statement.getWarnings();
        warning != null;
        warning = warning.getNextWarning()) {
      if (warning.getMessage().contains("sluice")) {
        warnings.add(warning.getMessage());
      }
    }
    return String.join("; ", warnings);
  }

  private void compare(String sql, Outcome twins, Outcome sources) {
    if (!twins.state().equals(sources.state()) || twins.rows() != sources.rows()) {
      throw new AssertionError(
          "session %s: %s%n without Sluice: %s%n with Sluice: %s"
              .formatted(name, sql, twins, sources));
    }
    if (sources.message().contains("is not replicated")) {
      throw new AssertionError("session %s: %s%n %s".formatted(name, sql, sources.message()));
    }
  }

  @Override
  public void close() throws SQLException {
    twin.close();
    source.close();
  }
}
