package dev.sluice.connector.postgres.check;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.connector.postgres.server.PostgresConfig;
import dev.sluice.connector.postgres.slot.ReplicationSlot;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Checks the server's settings and the user's rights. Used by one thread. */
final class SourceServerChecks {
  private static final int OLDEST_VERSION = 130000;

  private final Connection connection;
  private final PostgresConfig config;
  private final ReplicationSlot slot;

  SourceServerChecks(Connection connection, PostgresConfig config, ReplicationSlot slot) {
    this.connection = connection;
    this.config = config;
    this.slot = slot;
  }

  /** The problems of the full load. */
  List<Problem> problemsOfReading() throws SQLException {
    return encoding().stream().toList();
  }

  /** The problems of logical replication. */
  List<Problem> problemsOfCapture() throws SQLException {
    List<Problem> problems = new ArrayList<>();
    version().ifPresent(problems::add);
    walLevel().ifPresent(problems::add);
    standby().ifPresent(problems::add);
    replicationRight().ifPresent(problems::add);
    slotState().ifPresent(problems::add);
    walSenders().ifPresent(problems::add);
    return problems;
  }

  private Optional<Problem> version() throws SQLException {
    int version = Integer.parseInt(setting(connection, "server_version_num"));
    return version >= OLDEST_VERSION
        ? Optional.empty()
        : problem(
            setting(connection, "server_version"),
            "PostgreSQL 13 or newer",
            "Use a newer source server");
  }

  private Optional<Problem> walLevel() throws SQLException {
    String level = setting(connection, "wal_level");
    return level.equals("logical")
        ? Optional.empty()
        : problem(
            "wal_level = " + level,
            "wal_level = logical",
            "As a superuser run: ALTER SYSTEM SET wal_level = 'logical'; then restart the server");
  }

  private Optional<Problem> standby() throws SQLException {
    return !isTrue("SELECT pg_catalog.pg_is_in_recovery()")
        ? Optional.empty()
        : problem(
            "it is a standby",
            "a primary, since Sluice writes a publication and fences",
            "Set source.url to the primary");
  }

  /** SQL_ASCII is not converted: bytes that are not UTF8 would be corrupted. */
  private Optional<Problem> encoding() throws SQLException {
    String encoding = setting(connection, "server_encoding");
    return !encoding.equals("SQL_ASCII")
        ? Optional.empty()
        : problem(
            "the database's encoding is SQL_ASCII, so its texts may be of any encoding",
            "an encoding that converts to UTF8",
            "Move the data into a database with a real encoding first");
  }

  private Optional<Problem> replicationRight() throws SQLException {
    boolean right =
        isTrue(
            "SELECT rolsuper OR rolreplication FROM pg_catalog.pg_roles WHERE rolname = current_user");
    return right || hasCloudRole()
        ? Optional.empty()
        : problem(
            "user " + config.endpoint().user() + " does not have the attribute REPLICATION",
            "a user that may read the log",
            "As a superuser run: ALTER ROLE %s REPLICATION;"
                .formatted(TableId.quote(config.endpoint().user())));
  }

  /** Managed services grant the right by membership in a role of their own. */
  private boolean hasCloudRole() throws SQLException {
    return isTrue(
        """
        SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_roles
          WHERE rolname IN ('rds_replication', 'rds_superuser')
            AND pg_catalog.pg_has_role(oid, 'MEMBER'))
        """);
  }

  private Optional<Problem> slotState() throws SQLException {
    if (slot.state(connection).isPresent()) {
      return Optional.empty();
    }
    long used = count("SELECT count(*) FROM pg_catalog.pg_replication_slots");
    long limit = Long.parseLong(setting(connection, "max_replication_slots"));
    return used < limit
        ? Optional.empty()
        : problem(
            "all " + limit + " replication slots are taken",
            "a free slot for " + slot.name(),
            "Raise max_replication_slots and restart the server. Or end a task or a subscription that"
                + " is no longer needed: a slot that nothing reads at present may be that of a"
                + " stopped one, which loses changes without it");
  }

  private Optional<Problem> walSenders() throws SQLException {
    long used = count("SELECT count(*) FROM pg_catalog.pg_stat_replication");
    long limit = Long.parseLong(setting(connection, "max_wal_senders"));
    return used < limit || slot.state(connection).filter(s -> s.activePid().isPresent()).isPresent()
        ? Optional.empty()
        : problem(
            "all " + limit + " WAL senders are taken",
            "one free WAL sender",
            "Raise max_wal_senders and restart the server");
  }

  private Optional<Problem> problem(String found, String expected, String fix) {
    return Optional.of(new Problem("source " + config.endpoint(), found, expected, fix));
  }

  private boolean isTrue(String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      return rows.next() && rows.getBoolean(1);
    }
  }

  private long count(String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      rows.next();
      return rows.getLong(1);
    }
  }

  /** The value of a setting; empty if the server does not have it. */
  static String setting(Connection connection, String name) throws SQLException {
    try (var statement =
        connection.prepareStatement("SELECT pg_catalog.current_setting(?, true)")) {
      statement.setString(1, name);
      try (ResultSet rows = statement.executeQuery()) {
        rows.next();
        String value = rows.getString(1);
        return value == null ? "" : value;
      }
    }
  }
}
