package dev.sluice.target.yugabytedb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import dev.sluice.embedded.postgres.strict.Fault;
import dev.sluice.sink.control.schema.ControlSchema;
import dev.sluice.sink.target.TargetConnection;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Control tables of which a definition stays, or fails. */
class YugabyteControlSchemaTest {
  private static final String SCHEMA = "control";

  private static final String VALID =
      "SELECT t.relname FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid"
          + " WHERE t.relnamespace = 'control'::regnamespace AND NOT i.indisprimary"
          + " AND i.indisvalid ORDER BY 1";

  private static final Duration LIMIT = Duration.ofMinutes(5);

  private YugabyteLab database;

  @BeforeEach
  void open() throws SQLException {
    database = YugabyteLab.database();
  }

  @AfterEach
  void close() throws SQLException {
    assertThat(YugabyteLab.proxy().refused()).isEmpty();
    database.drop();
  }

  @Test
  void anIndexThatMeetsAConflictIsMade() throws SQLException {
    YugabyteLab.proxy().failOnce("create index", Fault.CONFLICT);
    ControlSchema.create(database.server(), SCHEMA);
    assertThat(texts(VALID)).isEqualTo(indexed());
    assertThat(YugabyteLab.proxy().faults().get(Fault.CONFLICT)).isPositive();
  }

  /** As its transaction may leave it, which was undone. */
  @Test
  void aTableThatIsThereWithoutItsIndexGetsIt() throws SQLException {
    ControlSchema.create(database.server(), SCHEMA);
    for (String index : texts(indexes())) {
      texts("DROP INDEX control.\"" + index + "\"");
    }
    awaitIndexes();
  }

  @Test
  void anIndexThatTheServerRefusesEndsNoStart() throws SQLException {
    refuse("CREATE INDEX", "RAISE EXCEPTION 'must be owner' USING ERRCODE = '42501'");
    ControlSchema.create(database.server(), SCHEMA);
    assertThat(texts(indexes())).isEmpty();
    assertThat(texts("SELECT version FROM control.control_version")).hasSize(1);
    texts("DROP EVENT TRIGGER refused");
    awaitIndexes();
  }

  /** One that another daemon makes is INVALID, too, until it is made. */
  @Test
  void anIndexThatAnotherDaemonMakesIsLeftToIt() throws SQLException {
    ControlSchema.create(database.server(), SCHEMA);
    invalidate();
    List<String> made = texts("SELECT oid FROM pg_class WHERE relkind = 'i' ORDER BY 1");
    try (TargetConnection other = database.server().connect()) {
      awaitLock(other);
      other.jdbc().commit();
      ControlSchema.create(database.server(), SCHEMA);
      assertThat(texts("SELECT oid FROM pg_class WHERE relkind = 'i' ORDER BY 1")).isEqualTo(made);
      assertThat(texts(VALID)).isEmpty();
    }
    awaitIndexes();
  }

  @Test
  void aSchemaIsNotCreatedByWhoHasLostTheLock() throws SQLException {
    refuse(
        "CREATE TABLE",
        "PERFORM pg_terminate_backend(pid) FROM pg_locks"
            + " WHERE locktype = 'advisory' AND pid <> pg_backend_pid() AND database ="
            + " (SELECT oid FROM pg_database WHERE datname = current_database())");
    assertThatThrownBy(() -> ControlSchema.create(database.server(), SCHEMA))
        .isInstanceOf(SluiceException.Retryable.class);
    texts("DROP EVENT TRIGGER refused");
    awaitIndexes();
  }

  @Test
  void anIndexThatIsInvalidIsMadeAgain() throws SQLException {
    ControlSchema.create(database.server(), SCHEMA);
    invalidate();
    awaitIndexes();
    assertThat(texts(indexes())).hasSameSizeAs(indexed());
  }

  private void invalidate() throws SQLException {
    texts(
        "UPDATE pg_index SET indisvalid = false WHERE indexrelid IN"
            + " (SELECT oid FROM pg_class WHERE relname IN ('%s'))"
                .formatted(String.join("', '", texts(indexes()))));
    assertThat(texts(VALID)).isEmpty();
  }

  /** The server ends the session that made the last ones, and had the lock, a moment later. */
  private void awaitIndexes() {
    Awaitility.await()
        .atMost(LIMIT)
        .untilAsserted(
            () -> {
              ControlSchema.create(database.server(), SCHEMA);
              assertThat(texts(VALID)).isEqualTo(indexed());
            });
  }

  private static void awaitLock(TargetConnection session) {
    Awaitility.await()
        .atMost(LIMIT)
        .until(
            () ->
                session
                    .dialect()
                    .locks()
                    .tryLock(session.jdbc(), "sluice control indexes", SCHEMA));
  }

  /** Lets the server do something before each statement of a kind. */
  private void refuse(String tag, String body) throws SQLException {
    texts(
        "CREATE FUNCTION refuse() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN %s; END $$"
            .formatted(body));
    texts(
        "CREATE EVENT TRIGGER refused ON ddl_command_start WHEN TAG IN ('%s')".formatted(tag)
            + " EXECUTE FUNCTION refuse()");
    // Also for sessions that apply changes.
    texts("ALTER EVENT TRIGGER refused ENABLE ALWAYS");
  }

  private static List<String> indexed() {
    return List.of("sluice_apply_exceptions", "sluice_validation_failures_v2");
  }

  private static String indexes() {
    return VALID
        .replace(
            "SELECT t.relname",
            "SELECT (SELECT relname FROM pg_class c WHERE c.oid = i.indexrelid)")
        .replace(" AND i.indisvalid", "");
  }

  /** What a statement returns; past the proxy. */
  private List<String> texts(String sql) throws SQLException {
    try (Connection session = database.connect();
        Statement statement = session.createStatement()) {
      List<String> texts = new ArrayList<>();
      if (statement.execute(sql)) {
        ResultSet row = statement.getResultSet();
        while (row.next()) {
          texts.add(row.getString(1));
        }
      }
      return texts;
    }
  }
}
