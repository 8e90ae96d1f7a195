package dev.sluice.connector.generic.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.source.TaskMark;
import dev.sluice.connector.generic.catalog.JdbcServer;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What shows whose a slot is while nobody reads it. */
class SlotMarkTest {
  private static final SlotMark ONE = new SlotMark("slot_of_one", TaskMark.ofName("one"));
  private static final SlotMark TWO = new SlotMark("slot_of_one", TaskMark.ofName("two"));

  private static EmbeddedPostgres server;

  @BeforeAll
  static void start() throws SQLException {
    server = EmbeddedPostgres.start();
    try (Connection session = server.connect("postgres")) {
      execute(session, "CREATE ROLE plain LOGIN");
      execute(session, "CREATE ROLE other LOGIN");
    }
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void aRoleWithoutAnyRightLeavesOneMarkThatOtherRolesRead() throws SQLException {
    server.createDatabase("plain");
    try (Connection plain = session("plain", "plain");
        Connection other = session("plain", "other")) {
      ONE.leave(plain);
      ONE.leave(plain);
      List<String[]> left = marks(plain);
      assertThat(left).hasSize(1);
      assertThat(ONE.ofAnother(other)).isEmpty();
      assertThat(new SlotMark("another_slot", TaskMark.ofName("two")).ofAnother(other)).isEmpty();
      assertThat(TWO.ofAnother(other))
          .hasValueSatisfying(
              problem ->
                  assertThat(problem.toString())
                      .contains(
                          "replication slot slot_of_one",
                          "that of task one, id ",
                          "SELECT lo_unlink(" + left.get(0)[0] + ")"));
      TWO.remove(other);
      assertThat(marks(plain)).hasSize(1);
      ONE.remove(plain);
      assertThat(marks(plain)).isEmpty();
    }
  }

  /** Somebody drops the slot by hand, and makes one for another task. */
  @Test
  void aMarkIsVoidWhereItsSlotIsGoneAndKeepsOthersAwayWhereItIsThere() throws SQLException {
    server.createDatabase("gone");
    try (Connection plain = session("gone", "plain");
        Connection other = session("gone", "other");
        Connection admin = session("gone", "postgres")) {
      ONE.leave(plain);
      execute(admin, "SELECT pg_create_physical_replication_slot('slot_of_one')");
      assertThatThrownBy(() -> TWO.leave(plain))
          .isInstanceOf(SluiceException.Fatal.class)
          .hasMessageContaining("that of task one");
      execute(admin, "SELECT pg_drop_replication_slot('slot_of_one')");
      TWO.leave(plain);
      assertThat(marks(admin)).as("instead of the other one").hasSize(1);
      assertThat(TWO.ofAnother(plain)).isEmpty();
      assertThat(ONE.ofAnother(plain)).isPresent();

      ONE.leave(other);
      assertThat(marks(admin)).as("beside one that it may not take off").hasSize(2);
      assertThat(ONE.ofAnother(plain)).isEmpty();
    }
  }

  @Test
  void aServerThatTakesNoMarkIsReadWithoutOne() throws SQLException {
    server.createDatabase("readonly");
    try (Connection session = session("readonly", "plain")) {
      execute(session, "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY");
      ONE.leave(session);
      assertThat(marks(session)).isEmpty();
      assertThat(session.getAutoCommit()).isTrue();
    }
  }

  private static Connection session(String database, String role) throws SQLException {
    return DriverManager.getConnection(
        "jdbc:postgresql://127.0.0.1:%d/%s?user=%s".formatted(server.port(), database, role));
  }

  private static void execute(Connection session, String sql) throws SQLException {
    try (Statement statement = session.createStatement()) {
      statement.execute(sql);
    }
  }

  private static List<String[]> marks(Connection session) throws SQLException {
    return JdbcServer.rows(session, "SELECT oid FROM pg_largeobject_metadata");
  }
}
