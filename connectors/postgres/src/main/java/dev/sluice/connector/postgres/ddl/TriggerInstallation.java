package dev.sluice.connector.postgres.ddl;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.postgres.server.LockAttempts;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Installs the event triggers if they are missing or of another release, all or nothing. Used by
 * one thread, once.
 */
final class TriggerInstallation {
  private static final Logger LOG = LoggerFactory.getLogger(TriggerInstallation.class);

  private static final int TAKEN_UP_AT_ONCE = 100;

  /**
   * The version of what install.sql makes. It rises with each change after which an earlier Sluice
   * would read the reports wrongly. A newer version is never replaced by an earlier one.
   */
  static final int VERSION = 1;

  /** In the comment of the schema; one of before there were versions has none. */
  private static final Pattern VERSION_FOUND =
      Pattern.compile("Sluice's event triggers, version (\\d+), .*");

  private static final String INSTALLED =
      """
      SELECT pg_catalog.obj_description(n.oid, 'pg_namespace'),
             (SELECT pg_catalog.count(*) FROM pg_catalog.pg_event_trigger t
              WHERE t.evtname IN ('sluice_ddl_end', 'sluice_ddl_drop', 'sluice_ddl_rewrite')
                AND t.evtenabled = 'A')
             + (SELECT pg_catalog.count(*) FROM pg_catalog.pg_publication p
                JOIN pg_catalog.pg_publication_rel r ON r.prpubid = p.oid
                JOIN pg_catalog.pg_class c ON c.oid = r.prrelid
                WHERE p.pubname = 'sluice_ddl' AND p.pubinsert
                  AND c.relnamespace = n.oid AND c.relname = 'report')
      FROM pg_catalog.pg_namespace n WHERE n.nspname = 'sluice_ddl'
      """;

  /** The three event triggers, and the publication with its table. */
  private static final int PARTS = 4;

  /**
   * Objects of our names or in our schema that belong to another role than a superuser or ours, and
   * other roles with the right to create some there. Their content would become statements on the
   * target.
   */
  private static final String OF_OTHERS =
      """
      WITH trusted AS (
        SELECT r.oid FROM pg_catalog.pg_roles r
        WHERE r.rolsuper OR r.rolname = current_user OR EXISTS (
          SELECT FROM pg_catalog.pg_auth_members m JOIN pg_catalog.pg_roles s ON s.oid = m.roleid
          WHERE m.member = r.oid
            AND s.rolname IN ('rds_superuser', 'cloudsqlsuperuser', 'azure_pg_admin'))),
      ours (kind, name, owner) AS (
        SELECT 'schema', n.nspname::text, n.nspowner FROM pg_catalog.pg_namespace n
        WHERE n.nspname = 'sluice_ddl'
        UNION ALL
        SELECT 'relation', 'sluice_ddl.' || c.relname, c.relowner FROM pg_catalog.pg_class c
        JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'sluice_ddl'
        UNION ALL
        SELECT 'function', 'sluice_ddl.' || p.proname, p.proowner FROM pg_catalog.pg_proc p
        JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname = 'sluice_ddl'
        UNION ALL
        SELECT 'publication', p.pubname::text, p.pubowner FROM pg_catalog.pg_publication p
        WHERE p.pubname = 'sluice_ddl'
        UNION ALL
        SELECT 'event trigger', t.evtname::text, t.evtowner FROM pg_catalog.pg_event_trigger t
        WHERE t.evtname IN ('sluice_ddl_end', 'sluice_ddl_drop', 'sluice_ddl_rewrite'))
      SELECT pg_catalog.format('%s %s belongs to role %s', kind, name,
               pg_catalog.pg_get_userbyid(owner))
      FROM ours WHERE owner NOT IN (SELECT oid FROM trusted)
      UNION ALL
      SELECT pg_catalog.format('role %s may create objects in schema sluice_ddl',
               CASE a.grantee WHEN 0 THEN 'public' ELSE pg_catalog.pg_get_userbyid(a.grantee) END)
      FROM pg_catalog.pg_namespace n, pg_catalog.aclexplode(n.nspacl) a
      WHERE n.nspname = 'sluice_ddl' AND a.privilege_type = 'CREATE'
        AND a.grantee NOT IN (SELECT oid FROM trusted)
      ORDER BY 1
      """;

  private static final String PUBLISHED =
      """
      INSERT INTO sluice_ddl.published
      SELECT pg_catalog.pg_current_wal_insert_lsn()
      WHERE NOT EXISTS (SELECT FROM sluice_ddl.published)
      """;

  /** Another session has created the schema at the same time. */
  private static final Set<String> MADE_MEANWHILE = Set.of("23505", "42P06");

  private final Connection connection;
  private final LockAttempts locks;

  /**
   * @param connection without auto-commit
   */
  TriggerInstallation(Connection connection, LockAttempts locks) {
    this.connection = connection;
    this.locks = locks;
  }

  /**
   * Installs the triggers and commits.
   *
   * @return why that was not possible; empty if they are installed now
   */
  Optional<String> run() throws SQLException {
    try {
      try {
        locks.run("installing the event triggers for DDL", connection, this::install);
      } catch (SQLException e) {
        if (!MADE_MEANWHILE.contains(e.getSQLState())) {
          throw e;
        }
        locks.run("installing the event triggers for DDL", connection, this::install);
      }
      try (Statement statement = connection.createStatement()) {
        // A position after the commit that published the reports.
        statement.execute(PUBLISHED);
        connection.commit();
      }
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
      requireOurs();
      String script = script();
      String release =
          "Sluice's event triggers, version %d, %s".formatted(VERSION, checksum(script));
      if (!isThere(statement, release)) {
        holdOthers(statement);
        // Another session may have installed or removed them meanwhile.
        requireOurs();
        if (!isThere(statement, release)) {
          statement.execute(script);
          statement.execute("COMMENT ON SCHEMA sluice_ddl IS '" + release.replace("'", "''") + "'");
          LOG.info("event triggers installed on the source: DDL is replicated");
        }
      }
      // Fails if a role that did not install them has no right to use them.
      statement.execute("DELETE FROM sluice_ddl.task WHERE false");
      connection.commit();
    }
  }

  private boolean isThere(Statement statement, String release) throws SQLException {
    return isDone(connection, Optional.of(release)) && isHome(statement);
  }

  /**
   * Locks out other installations and removals until the transaction ends. The table lock needs
   * rights on our table; any role could hold an advisory lock.
   */
  private static void holdOthers(Statement statement) throws SQLException {
    if (TriggerRemoval.isThere(statement)) {
      statement.execute(TriggerRemoval.HOLD_OTHERS);
    } else {
      statement.execute("CREATE SCHEMA IF NOT EXISTS sluice_ddl");
    }
  }

  /**
   * Records all table definitions, in many transactions: describing a partition locks it until the
   * transaction ends, and would block an ALTER of the application.
   */
  private void takeUp() throws SQLException {
    try (PreparedStatement takeUp =
        connection.prepareStatement("SELECT sluice_ddl.take_up(?::pg_catalog.oid, ?)")) {
      takeUp.setInt(2, TAKEN_UP_AT_ONCE);
      String last = "0";
      while (last != null) {
        takeUp.setString(1, last);
        last =
            locks.read(
                "reading what tables are, for the event triggers",
                connection,
                () -> takeUpNext(takeUp));
      }
    }
  }

  private String takeUpNext(PreparedStatement takeUp) throws SQLException {
    try (ResultSet row = takeUp.executeQuery()) {
      row.next();
      String last = row.getString(1);
      connection.commit();
      return last;
    }
  }

  /** Whether they were installed here, not restored from a dump of another database. */
  private static boolean isHome(Statement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery("SELECT sluice_ddl.is_home()")) {
      row.next();
      return row.getBoolean(1);
    }
  }

  /** Objects of ours, and of a version that this Sluice knows. */
  private void requireOurs() throws SQLException {
    List<Problem> problems = new ArrayList<>();
    newer(connection).ifPresent(problems::add);
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(OF_OTHERS)) {
      while (rows.next()) {
        problems.add(
            new Problem(
                "event triggers on the source",
                rows.getString(1),
                "no objects of these names, or those of a superuser or this task's role",
                "Find out who created them and why; rename them or revoke the right, then start again"));
      }
    }
    if (!problems.isEmpty()) {
      throw new SluiceException.Fatal(problems);
    }
  }

  /** The problem that a newer Sluice has installed them; empty if they may be replaced. */
  static Optional<Problem> newer(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(INSTALLED)) {
      String comment = row.next() ? row.getString(1) : null;
      Matcher found = VERSION_FOUND.matcher(comment == null ? "" : comment);
      return found.matches() && Integer.parseInt(found.group(1)) > VERSION
          ? Optional.of(
              new Problem(
                  "event triggers on the source",
                  "schema sluice_ddl is of version " + found.group(1) + ", of a newer Sluice",
                  "version %d or earlier, which this Sluice reads".formatted(VERSION),
                  "Run all tasks of this source database with the newer Sluice; nothing is changed"))
          : Optional.empty();
    }
  }

  /** Whether they are installed and enabled, of any release. */
  static boolean isDone(Connection connection) throws SQLException {
    return isDone(connection, Optional.empty());
  }

  private static boolean isDone(Connection connection, Optional<String> release)
      throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(INSTALLED)) {
      return row.next()
          && row.getInt(2) == PARTS
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
