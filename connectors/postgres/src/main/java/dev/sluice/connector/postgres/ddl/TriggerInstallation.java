package dev.sluice.connector.postgres.ddl;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import java.util.zip.CRC32;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Installs the event triggers where they are missing or of another release, all or nothing. Used by
 * one thread, once.
 */
final class TriggerInstallation {
  private static final Logger LOG = LoggerFactory.getLogger(TriggerInstallation.class);

  private static final String VERSION =
      """
      SELECT pg_catalog.obj_description(n.oid, 'pg_namespace'),
             (SELECT pg_catalog.count(*) FROM pg_catalog.pg_event_trigger t
              WHERE t.evtname IN ('sluice_ddl_end', 'sluice_ddl_drop', 'sluice_ddl_rewrite')
                AND t.evtenabled = 'A')
      FROM pg_catalog.pg_namespace n WHERE n.nspname = 'sluice_ddl'
      """;

  private final Connection connection;

  /**
   * @param connection in manual commit
   */
  TriggerInstallation(Connection connection) {
    this.connection = connection;
  }

  /**
   * Does it and commits.
   *
   * @return why it could not be done; empty where they are there now
   */
  Optional<String> run() throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          "SELECT pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtext('sluice_ddl'))");
      String script = script();
      String release = "Sluice's event triggers, " + checksum(script);
      if (!isDone(connection, Optional.of(release))) {
        statement.execute(script);
        statement.execute("COMMENT ON SCHEMA sluice_ddl IS '" + release.replace("'", "''") + "'");
        LOG.info("event triggers installed on the source: DDL travels through its log");
      }
      // A role that did not install them may lack the right to use them.
      statement.execute("DELETE FROM sluice_ddl.task WHERE false");
      statement.execute("SELECT sluice_ddl.take_up()");
      connection.commit();
      return Optional.empty();
    } catch (SQLException e) {
      connection.rollback();
      if (DefinitionTrigger.NOT_ALLOWED.equals(e.getSQLState())) {
        return Optional.of(
            e.getMessage().replaceFirst("^ERROR: ", "").replaceAll("\\s*\\n\\s*", "; "));
      }
      throw e;
    }
  }

  /** Whether they are there and on, of whatever release. */
  static boolean isDone(Connection connection) throws SQLException {
    return isDone(connection, Optional.empty());
  }

  private static boolean isDone(Connection connection, Optional<String> release)
      throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(VERSION)) {
      return row.next()
          && row.getInt(2) == 3
          && (release.isEmpty() || release.get().equals(row.getString(1)));
    }
  }

  private static String script() {
    try (InputStream stream = DefinitionTrigger.class.getResourceAsStream("install.sql")) {
      return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("install.sql", e);
    }
  }

  private static String checksum(String script) {
    CRC32 checksum = new CRC32();
    checksum.update(script.getBytes(StandardCharsets.UTF_8));
    return Long.toHexString(checksum.getValue());
  }
}
