package dev.sluice.connector.postgres.ddl;

import dev.sluice.connector.postgres.LockAttempts;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.zip.CRC32;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Installs the event triggers where they are missing or of another release, all or nothing. Used by
 * one thread, once.
 */
final class TriggerInstallation {
  private static final Logger LOG = LoggerFactory.getLogger(TriggerInstallation.class);

  private static final int TAKEN_UP_AT_ONCE = 100;

  private static final String VERSION =
      """
      SELECT pg_catalog.obj_description(n.oid, 'pg_namespace'),
             (SELECT pg_catalog.count(*) FROM pg_catalog.pg_event_trigger t
              WHERE t.evtname IN ('sluice_ddl_end', 'sluice_ddl_drop', 'sluice_ddl_rewrite')
                AND t.evtenabled = 'A')
      FROM pg_catalog.pg_namespace n WHERE n.nspname = 'sluice_ddl'
      """;

  private final Connection connection;
  private final LockAttempts locks;

  /**
   * @param connection in manual commit
   */
  TriggerInstallation(Connection connection, LockAttempts locks) {
    this.connection = connection;
    this.locks = locks;
  }

  /**
   * Does it and commits.
   *
   * @return why it could not be done; empty where they are there now
   */
  Optional<String> run() throws SQLException {
    try {
      locks.run("installing the event triggers for DDL", connection, this::install);
      takeUp();
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

  private void install() throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          "SELECT pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtext('sluice_ddl'))");
      String script = script();
      String release = "Sluice's event triggers, " + checksum(script);
      if (!isDone(connection, Optional.of(release)) || !isHome(statement)) {
        statement.execute(script);
        statement.execute("COMMENT ON SCHEMA sluice_ddl IS '" + release.replace("'", "''") + "'");
        LOG.info("event triggers installed on the source: DDL travels through its log");
      }
      // A role that did not install them may lack the right to use them.
      statement.execute("DELETE FROM sluice_ddl.task WHERE false");
      connection.commit();
    }
  }

  /**
   * In many transactions: who describes a partition locks it until the end of the transaction, and
   * the application may want to alter it.
   */
  private void takeUp() throws SQLException {
    try (PreparedStatement takeUp =
        connection.prepareStatement("SELECT sluice_ddl.take_up(?::pg_catalog.oid, ?)")) {
      takeUp.setInt(2, TAKEN_UP_AT_ONCE);
      AtomicReference<String> last = new AtomicReference<>("0");
      while (last.get() != null) {
        takeUp.setString(1, last.get());
        locks.run(
            "reading what tables are, for the event triggers",
            connection,
            () -> {
              try (ResultSet row = takeUp.executeQuery()) {
                row.next();
                last.set(row.getString(1));
              }
              connection.commit();
            });
      }
    }
  }

  /** Whether they were installed here, and not brought by a dump of another database. */
  private static boolean isHome(Statement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery("SELECT sluice_ddl.is_home()")) {
      row.next();
      return row.getBoolean(1);
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
