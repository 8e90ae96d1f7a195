package dev.sluice.target.yugabytedb;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.sink.target.ServerChecks;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.target.TargetTable;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Checks as for PostgreSQL, and that the server is a supported release of YugabyteDB. Stateless,
 * threadsafe.
 */
final class YugabyteServerChecks implements ServerChecks {
  /** The release, which follows PostgreSQL's version; releases before 2024 have other numbers. */
  private static final Pattern RELEASE = Pattern.compile("-YB-(\\d{4})\\.(\\d+)\\.");

  /** The first release that has advisory locks and shows them in pg_locks. */
  private static final String OLDEST = "2025.1";

  private static final int OLDEST_YEAR = 2025;

  private final ServerChecks postgres;

  YugabyteServerChecks(ServerChecks postgres) {
    this.postgres = postgres;
  }

  @Override
  public List<Problem> database(TargetConnection connection, TargetServer server)
      throws SQLException {
    List<Problem> problems = new ArrayList<>(postgres.database(connection, server));
    String version = connection.jdbc().getMetaData().getDatabaseProductVersion();
    if (!isFit(version)) {
      problems.add(unfit("target " + server, version));
    }
    return problems;
  }

  /** Whether a server of this version is a YugabyteDB with all features that a task needs. */
  static boolean isFit(String version) {
    Matcher release = RELEASE.matcher(version);
    return release.find()
        && (Integer.parseInt(release.group(1)) > OLDEST_YEAR
            || Integer.parseInt(release.group(1)) == OLDEST_YEAR
                && Integer.parseInt(release.group(2)) >= 1);
  }

  /** The problem that a server is not YugabyteDB, or that its release is too old. */
  static Problem unfit(String thing, String version) {
    return new Problem(
        thing,
        "the server is of version " + version,
        "YugabyteDB %1$s or newer, with a version such as 15.12-YB-%1$s.0.0".formatted(OLDEST),
        "Upgrade the cluster, or set target.type to postgresql if it is a PostgreSQL server");
  }

  @Override
  public Optional<Problem> schema(
      TargetConnection connection,
      TargetServer server,
      String schema,
      String thing,
      String expected)
      throws SQLException {
    return postgres.schema(connection, server, schema, thing, expected);
  }

  @Override
  public Optional<Problem> dropping(TargetConnection connection, TargetServer server, TableId table)
      throws SQLException {
    return postgres.dropping(connection, server, table);
  }

  @Override
  public List<Problem> rights(TargetServer server, TargetTable table) {
    return postgres.rights(server, table);
  }

  @Override
  public String fixOfFiring(String user) {
    return postgres.fixOfFiring(user);
  }

  @Override
  public String fixOfUnreachable(SluiceException failure) {
    return postgres.fixOfUnreachable(failure);
  }

  @Override
  public boolean isOfPassword(SluiceException failure) {
    return postgres.isOfPassword(failure);
  }

  @Override
  public Map<TableId, String> subscribedTables(TargetConnection connection) throws SQLException {
    return postgres.subscribedTables(connection);
  }

  @Override
  public Optional<String> excessiveRights(TargetConnection connection) throws SQLException {
    return postgres.excessiveRights(connection);
  }
}
