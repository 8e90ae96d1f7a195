package dev.sluice.sink.target;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.net.SessionPool;
import dev.sluice.connector.api.comparison.ComparisonTarget;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * The address and login of the target; opens and lends connections. Threadsafe; never shows the
 * password.
 *
 * <p>Rows are sent as text, so a session fixes every setting that changes the text form of a type.
 * The application's foreign keys and triggers must not fire a second time, so sessions use the
 * replica role if that is allowed.
 */
public final class TargetServer {
  private final TargetDialect dialect;
  private final TargetLogin login;
  private final SessionPool pool;

  /**
   * @throws SluiceException.Fatal if the driver does not have what Sluice uses of it
   */
  public TargetServer(TargetDialect dialect, TargetLogin login) {
    dialect.sessions().requireDriver();
    this.dialect = dialect;
    this.login = login;
    this.pool = new SessionPool(this::openSession, dialect.sessions()::reset);
  }

  public TargetDialect dialect() {
    return dialect;
  }

  /** Classifies errors of the target. */
  public TargetErrors errors() {
    return dialect.errors();
  }

  public String user() {
    return login.user();
  }

  public int statementCacheSize() {
    return login.statementCacheSize();
  }

  /** The same server with another number of prepared statements for each connection. */
  public TargetServer withStatementCacheSize(int statements) {
    return new TargetServer(dialect, login.withStatementCacheSize(statements));
  }

  /**
   * Opens a connection with the settings for applying, in manual commit.
   *
   * @throws SluiceException.Retryable if the server cannot be reached at present
   * @throws SluiceException.Fatal if it refuses the login or the session's settings
   */
  public TargetConnection connect() {
    try {
      return TargetConnection.open(dialect, openSession());
    } catch (SQLException e) {
      throw errors().classify("connect to " + this, e);
    }
  }

  /**
   * The same connection for a moment: closing it gives its session back to the next user. Not for
   * one that holds something for long, or whose end others wait for.
   *
   * @throws SluiceException as {@link #connect}
   */
  public TargetConnection borrow() {
    try {
      return TargetConnection.open(dialect, pool.borrow());
    } catch (SQLException e) {
      throw errors().classify("connect to " + this, e);
    }
  }

  /** Reads this server's tables under snapshots, for comparisons with the source. */
  public ComparisonTarget comparison() {
    return dialect.comparison(login);
  }

  private Connection openSession() throws SQLException {
    return dialect.sessions().connect(login);
  }

  /** For messages: user and address, cut before the URL's parameters. */
  @Override
  public String toString() {
    return login.toString();
  }
}
