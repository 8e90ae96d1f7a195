package dev.sluice.config.internals;

import dev.sluice.config.document.SluiceException;
import java.sql.Connection;
import java.sql.SQLException;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.PGStream;
import org.postgresql.core.ParameterList;
import org.postgresql.core.Query;
import org.postgresql.core.QueryExecutorBase;
import org.postgresql.jdbc.BatchResultHandler;
import org.postgresql.jdbc.PgStatement;
import org.postgresql.util.DriverInfo;

/** The members of PostgreSQL's JDBC driver that are not public and that Sluice uses. Stateless. */
public final class PgjdbcInternals {
  private static final Library DRIVER =
      new Library(
          DriverInfo.DRIVER_NAME,
          Library.constant(DriverInfo.class, "DRIVER_VERSION"),
          // The compiler copies the constant: this stays the version of the build.
          DriverInfo.DRIVER_VERSION);

  private static final HiddenField<PGStream> STREAM =
      DRIVER.field(QueryExecutorBase.class, "pgStream", PGStream.class);

  private static final HiddenConstructor<BatchResultHandler> RESULTS =
      DRIVER.constructor(
          BatchResultHandler.class,
          PgStatement.class,
          Query[].class,
          ParameterList[].class,
          boolean.class);

  private PgjdbcInternals() {}

  /**
   * Fails if the driver is another version that has not all of these members. Called at a start.
   *
   * @throws SluiceException.Fatal naming both versions
   */
  public static void require() {
    DRIVER.require();
  }

  /** The stream on which the driver talks to the server. Closing the connection closes it. */
  public static PGStream stream(Connection connection) throws SQLException {
    return STREAM.get(connection.unwrap(BaseConnection.class).getQueryExecutor());
  }

  /** Counts the results of queries that are sent together and return no rows. */
  public static BatchResultHandler batchResults(
      PgStatement statement, Query[] queries, ParameterList[] parameters) {
    return RESULTS.create(statement, queries, parameters, false);
  }
}
