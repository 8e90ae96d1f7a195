package dev.sluice.target.db2;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.connector.api.Column;
import dev.sluice.embedded.derby.EmbeddedDerby;
import dev.sluice.sink.target.ServerChecks;
import dev.sluice.sink.target.TargetChecks;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetLogin;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.target.TargetTable;
import dev.sluice.target.db2.catalog.Db2Metadata;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** On a server that looks at rights, whose database is the administrator's. */
class RightsTest {
  private static final ServerChecks CHECKS = Db2Dialect.INSTANCE.checks();

  private static EmbeddedDerby derby;
  private static Connection admin;
  private static TargetServer loader;

  /** The property counts from the next start of the server on. */
  @BeforeAll
  static void start() throws SQLException {
    derby = EmbeddedDerby.start();
    try (Connection first = session()) {
      Db2Lab.run(
          first,
          "CALL SYSCS_UTIL.SYSCS_SET_DATABASE_PROPERTY('derby.database.sqlAuthorization', 'true')");
    }
    derby.restart();
    admin = session();
    Db2Lab.run(admin, "CREATE SCHEMA \"dst\"");
    loader = server("loader");
  }

  @AfterAll
  static void stop() throws SQLException {
    admin.close();
    derby.close();
  }

  @Test
  void eachRightThatTheServerRefusesIsNamed() throws SQLException {
    create("item");
    assertThat(missing(loader, "item")).contains("no right to SELECT, DELETE;");
    Db2Lab.run(admin, "GRANT SELECT ON \"dst\".\"item\" TO LOADER");
    assertThat(missing(loader, "item")).contains("no right to INSERT, UPDATE, DELETE;");
    Db2Lab.run(
        admin,
        "GRANT INSERT ON \"dst\".\"item\" TO LOADER",
        "GRANT UPDATE (\"note\") ON \"dst\".\"item\" TO LOADER");
    assertThat(missing(loader, "item"))
        .as("one column can be changed")
        .contains("no right to DELETE;")
        .contains("GRANT SELECT, INSERT, UPDATE, DELETE ON TABLE \"dst\".\"item\"");
    Db2Lab.run(admin, "GRANT DELETE ON \"dst\".\"item\" TO LOADER");
    assertThat(missing(loader, "item")).isEmpty();
  }

  @Test
  void rightsOfTheOwnerAndOfEverybodyCount() throws SQLException {
    create("owned");
    assertThat(missing(server("app"), "owned")).isEmpty();
    Db2Lab.run(admin, "GRANT ALL PRIVILEGES ON \"dst\".\"owned\" TO PUBLIC");
    assertThat(missing(loader, "owned")).isEmpty();
  }

  @Test
  void rowsThatSomebodyHasLockedAreNotWaitedForAndNoneIsChanged() throws SQLException {
    create("busy");
    Db2Lab.run(
        admin,
        "INSERT INTO \"dst\".\"busy\" VALUES (1, 'before')",
        "GRANT SELECT, INSERT, UPDATE ON \"dst\".\"busy\" TO LOADER");
    TargetTable table = table("busy");
    admin.setAutoCommit(false);
    try {
      Db2Lab.run(admin, "UPDATE \"dst\".\"busy\" SET \"note\" = 'after'");
      assertThat(text(CHECKS.rights(loader, table))).contains("no right to DELETE;");
    } finally {
      admin.commit();
      admin.setAutoCommit(true);
    }
  }

  @Test
  void aTableThatSomebodyHoldsIsNotWaitedFor() throws SQLException {
    create("held");
    Db2Lab.run(admin, "GRANT SELECT ON \"dst\".\"held\" TO LOADER");
    TargetTable table = table("held");
    admin.setAutoCommit(false);
    try {
      Db2Lab.run(admin, "LOCK TABLE \"dst\".\"held\" IN EXCLUSIVE MODE");
      assertThat(text(CHECKS.rights(loader, table)))
          .contains("no right to INSERT, UPDATE, DELETE;");
    } finally {
      admin.commit();
      admin.setAutoCommit(true);
    }
  }

  @Test
  void whatFailsForAnotherReasonIsNotMissing() throws SQLException {
    create("gone");
    TargetTable table = table("gone");
    Db2Lab.run(admin, "DROP TABLE \"dst\".\"gone\"");
    assertThat(CHECKS.rights(loader, table)).isEmpty();
    Db2Lab.run(
        admin,
        "CREATE TABLE \"dst\".\"counted\" (\"id\" INTEGER NOT NULL PRIMARY KEY GENERATED ALWAYS AS"
            + " IDENTITY)");
    assertThat(missing(server("app"), "counted")).isEmpty();
    Db2Lab.run(admin, "DROP TABLE \"dst\".\"counted\"");
  }

  @Test
  void aSchemaThatCannotBeMadeOrFilledIsNamedAndNothingIsMade() throws SQLException {
    assertThat(schema(loader, "fresh")).contains("no right to CREATE SCHEMA;");
    Db2Lab.run(admin, "CREATE SCHEMA \"theirs\"");
    assertThat(schema(loader, "theirs")).contains("no right to CREATE TABLE;");
    Db2Lab.run(admin, "CREATE TABLE \"theirs\".\"checkpoint\" (n INTEGER)");
    assertThat(schema(loader, "theirs")).as("a schema that has its tables").isEmpty();
    Db2Lab.run(admin, "CREATE SCHEMA \"ours\" AUTHORIZATION LOADER");
    assertThat(schema(loader, "ours")).isEmpty();
    assertThat(schema(server("app"), "fresh")).isEmpty();
    assertThat(Db2Metadata.tables(admin, "ours")).isEmpty();
    assertThat(Db2Metadata.hasSchema(admin, "fresh")).isFalse();
  }

  @Test
  void theTableOfLocksIsCheckedAlsoWhileLocksAreHeld() throws SQLException {
    String held = "\"sluice_locks\".\"held\"";
    assertThat(database(loader)).contains("schema sluice_locks").contains("CREATE SCHEMA");
    Db2Lab.run(
        admin,
        "CREATE SCHEMA \"sluice_locks\"",
        "CREATE TABLE " + held + " (\"name\" VARCHAR(600) NOT NULL PRIMARY KEY)");
    assertThat(database(loader)).contains("no right to SELECT, INSERT;");
    Db2Lab.run(admin, "GRANT SELECT ON " + held + " TO LOADER");
    admin.setAutoCommit(false);
    try {
      Db2Lab.run(admin, "INSERT INTO " + held + " VALUES ('a task')");
      assertThat(database(loader)).contains("no right to INSERT;");
    } finally {
      admin.rollback();
      admin.setAutoCommit(true);
    }
    Db2Lab.run(admin, "GRANT INSERT ON " + held + " TO LOADER");
    assertThat(database(loader)).isEmpty();
  }

  @Test
  void theCheckOfATaskNamesAllOfThem() throws SQLException {
    create("first");
    create("second");
    Db2Lab.run(admin, "GRANT SELECT, INSERT, UPDATE ON \"dst\".\"second\" TO LOADER");
    List<TargetChecks.Expected> tables =
        List.of("first", "second").stream()
            .map(
                name ->
                    new TargetChecks.Expected(
                        new TableId("dst", name),
                        new TableId("src", name),
                        List.of(new Column("id", "integer", false, true)),
                        Set.of(),
                        false))
            .toList();
    assertThat(text(TargetChecks.check(loader, List.of("sluice_control"), tables).problems()))
        .contains("control schema sluice_control")
        .contains("target table dst.first")
        .contains("target table dst.second")
        .contains("no right to DELETE;");
  }

  private static void create(String name) throws SQLException {
    Db2Lab.run(
        admin,
        "CREATE TABLE \"dst\".\"%s\" (\"id\" INTEGER NOT NULL PRIMARY KEY, \"note\" VARCHAR(20))"
            .formatted(name));
  }

  private static TargetTable table(String name) throws SQLException {
    try (TargetConnection connection = loader.connect()) {
      return connection
          .dialect()
          .catalog()
          .table(connection.jdbc(), new TableId("dst", name))
          .orElseThrow();
    }
  }

  private static String missing(TargetServer server, String name) throws SQLException {
    return text(CHECKS.rights(server, table(name)));
  }

  private static String schema(TargetServer server, String name) throws SQLException {
    try (TargetConnection connection = server.connect()) {
      return text(
          CHECKS.schema(connection, server, name, "control schema " + name, "a schema").stream()
              .toList());
    }
  }

  private static String database(TargetServer server) throws SQLException {
    try (TargetConnection connection = server.connect()) {
      return text(CHECKS.database(connection, server));
    }
  }

  private static String text(List<Problem> problems) {
    return String.join("\n", problems.stream().map(Problem::toString).toList());
  }

  private static TargetServer server(String user) {
    return new TargetServer(
        Db2Dialect.INSTANCE,
        new TargetLogin(
            "jdbc:db2://127.0.0.1:%d/%s?securityMechanism=3"
                .formatted(derby.port(), EmbeddedDerby.DATABASE),
            user,
            null,
            "test",
            50));
  }

  private static Connection session() throws SQLException {
    return DriverManager.getConnection(
        "jdbc:db2://127.0.0.1:%d/%s:securityMechanism=3;"
            .formatted(derby.port(), EmbeddedDerby.DATABASE),
        "app",
        "app");
  }
}
