package dev.sluice.connector.postgres.writers;

import static dev.sluice.connector.postgres.writers.WritersFixture.MOVED_TO;
import static dev.sluice.connector.postgres.writers.WritersFixture.PATIENCE;
import static dev.sluice.connector.postgres.writers.WritersFixture.execute;
import static dev.sluice.connector.postgres.writers.WritersFixture.ids;
import static dev.sluice.connector.postgres.writers.WritersFixture.result;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.connector.api.source.writers.StoppedWriters;
import dev.sluice.connector.api.source.writers.WriterStop;
import dev.sluice.embedded.postgres.PostgresVersion;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Closed tables refuse to be altered and dropped; all else on that server works as before. */
class DdlRefusalTest {
  private static final String[] TABLES = {
    "CREATE SCHEMA shop",
    "CREATE TYPE shop.mood AS ENUM ('good')",
    "CREATE TABLE plain (id int PRIMARY KEY, mood shop.mood)",
    "CREATE TABLE parted (id int) PARTITION BY RANGE (id)",
    "CREATE TABLE low PARTITION OF parted FOR VALUES FROM (0) TO (10)",
    "CREATE TABLE high PARTITION OF parted FOR VALUES FROM (10) TO (20)",
    "CREATE TABLE free (id int)",
    "CREATE TABLE shop.sold (id int)",
  };

  private static final List<String> REFUSED =
      List.of(
          "ALTER TABLE plain ADD COLUMN more int",
          "ALTER TABLE plain DROP COLUMN mood",
          "ALTER TABLE plain RENAME COLUMN id TO number",
          "ALTER TABLE plain RENAME TO old",
          "ALTER TABLE plain SET SCHEMA shop",
          "ALTER TABLE plain DISABLE TRIGGER ALL",
          "ALTER TABLE low ALTER id SET NOT NULL",
          "ALTER TABLE parted DETACH PARTITION low",
          "ALTER TABLE parted ATTACH PARTITION free FOR VALUES FROM (30) TO (40)",
          "ALTER SCHEMA shop RENAME TO market",
          "DROP TABLE plain",
          "DROP TABLE free, low",
          "DROP TABLE parted",
          "DROP SCHEMA shop CASCADE",
          "DROP TYPE shop.mood CASCADE",
          "SET session_replication_role = replica; DROP TABLE plain",
          "DO $$ BEGIN EXECUTE 'DROP TABLE plain'; END $$");

  private static final List<String> ALLOWED =
      List.of(
          "CREATE TABLE other (id int REFERENCES plain)",
          "ALTER TABLE other ADD COLUMN more int",
          "DROP TABLE other",
          "ALTER TABLE free RENAME TO freed",
          "ALTER TABLE freed RENAME TO free",
          "CREATE TEMPORARY TABLE plain (id int); ALTER TABLE plain ADD more int; DROP TABLE plain",
          "CREATE TABLE later PARTITION OF parted FOR VALUES FROM (20) TO (30)",
          "CREATE SCHEMA unused; ALTER SCHEMA unused RENAME TO used; DROP SCHEMA used",
          "CREATE INDEX by_mood ON plain (mood)",
          "DROP INDEX by_mood",
          "COMMENT ON TABLE plain IS 'closed'",
          "GRANT SELECT ON plain TO PUBLIC");

  private static final List<String> MAINTENANCE =
      List.of("VACUUM plain", "VACUUM FULL plain", "ANALYZE plain", "REINDEX TABLE plain");

  private static final String OUTLINE =
      "SELECT string_agg(c.oid || n.nspname || c.relname || a.attname, ',' ORDER BY c.oid, a.attnum)"
          + " FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
          + " JOIN pg_attribute a ON a.attrelid = c.oid"
          + " WHERE c.relname IN ('plain', 'parted', 'low', 'high', 'sold', 'free')"
          + " AND c.relpersistence = 'p'";

  private static void move(WritersFixture source) throws InterruptedException {
    WriterStop.Request request =
        new WriterStop.Request(
            source.cutover,
            List.of(ids("plain").get(0), ids("parted").get(0), new TableId("shop", "sold")),
            PATIENCE,
            PATIENCE);
    try (StoppedWriters stopped = source.writers().stop(request)) {
      stopped.prepareMove(MOVED_TO, Optional.of("carrier_of_" + source.database));
      assertThat(stopped.refusesDdl()).isTrue();
      stopped.decide();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"NEWEST", "OLDER"})
  void closedTablesRefuseDdlAndNothingElseDoes(PostgresVersion version) throws Exception {
    try (WritersFixture source = new WritersFixture(WritersFixture.server(version), TABLES)) {
      move(source);
      String before = source.text(OUTLINE);
      for (String sql : REFUSED) {
        SQLException error = result(source.async(sql));
        assertThat((Throwable) error).as(sql).isNotNull();
        assertThat(error.getSQLState()).as(sql + ": " + error.getMessage()).isEqualTo("SM001");
        assertThat(error.getMessage())
            .contains("is refused: this database was moved to " + MOVED_TO)
            .contains("UTC by cutover " + source.cutover)
            .contains("Connect to " + MOVED_TO);
      }
      assertThat(source.text(OUTLINE)).isEqualTo(before);
      for (String sql : ALLOWED) {
        assertThat((Throwable) result(source.async(sql))).as(sql).isNull();
      }
      for (String sql : MAINTENANCE) {
        assertThat((Throwable) result(source.async(sql))).as(sql).isNull();
      }
      assertThat(source.opened()).isEmpty();
      source.alterClosed("ALTER TABLE plain ADD COLUMN more int", "DROP TABLE low");
    }
  }

  /** Half of it is committed before an event trigger is asked. */
  @ParameterizedTest
  @EnumSource(names = {"NEWEST", "OLDER"})
  void aPartitionIsDetachedConcurrentlyAsAWholeOrNotAtAll(PostgresVersion version)
      throws Exception {
    try (WritersFixture source = new WritersFixture(WritersFixture.server(version), TABLES)) {
      move(source);
      SQLException error =
          result(source.async("ALTER TABLE parted DETACH PARTITION low CONCURRENTLY"));
      assertThat((Throwable) error).isNull();
      assertThat(source.text("SELECT count(*) FROM pg_inherits WHERE inhdetachpending"))
          .isEqualTo("0");
    }
  }

  @Test
  void theRoleOfTheWayBackMayAlterThem() throws Exception {
    try (WritersFixture source = new WritersFixture(TABLES)) {
      String role = "carrier_of_" + source.database;
      source.execute("CREATE ROLE " + role + " LOGIN SUPERUSER");
      try {
        move(source);
        try (Connection carrier = source.connect(role)) {
          execute(carrier, "ALTER TABLE plain ADD COLUMN more int");
          execute(carrier, "ALTER TABLE plain RENAME TO old");
          execute(carrier, "DROP TABLE parted");
        }
        // Who only takes the role is somebody else.
        SQLException error = result(source.async("SET ROLE " + role + "; DROP TABLE old"));
        assertThat((Throwable) error).hasMessageContaining("was moved to");
      } finally {
        source.execute("DROP OWNED BY " + role, "DROP ROLE " + role);
      }
    }
  }

  @Test
  void aCutoverThatWasNotDecidedLeavesNothing() throws Exception {
    try (WritersFixture source = new WritersFixture(TABLES)) {
      try (StoppedWriters stopped = source.stop("plain")) {
        stopped.prepareMove(MOVED_TO);
        assertThat(stopped.refusesDdl()).isTrue();
      }
      assertThat(source.isUntouched()).isTrue();
      source.execute("ALTER TABLE plain ADD COLUMN more int");
    }
  }

  @Test
  void itEndsWithTheLastClosedTableAndNotBefore() throws Exception {
    try (WritersFixture source = new WritersFixture(TABLES)) {
      source.move("plain");
      UUID other = UUID.randomUUID();
      try (StoppedWriters stopped =
          source.writers().stop(new WriterStop.Request(other, ids("free"), PATIENCE, PATIENCE))) {
        stopped.prepareMove("elsewhere");
        stopped.decide();
      }
      assertThat((Throwable) result(source.async("DROP TABLE free")))
          .hasMessageContaining("moved to elsewhere");
      assertThat((Throwable) result(source.async("DROP TABLE plain")))
          .hasMessageContaining("moved to " + MOVED_TO);
      source.reopen();
      source.execute("ALTER TABLE plain ADD COLUMN more int");
      assertThat((Throwable) result(source.async("DROP TABLE free")))
          .hasMessageContaining("moved to elsewhere");
      // A cutover that was given up a moment ago keeps the schema, and nothing else.
      source.writers().decision(UUID.randomUUID(), PATIENCE);
      source.writers().reopen(WriterStop.Whose.only(other));
      assertThat(source.text("SELECT count(*) FROM pg_event_trigger")).isEqualTo("0");
      source.execute("DROP TABLE free");
    }
  }

  @Test
  void whatWasMadeByHandIsRemovedByHand() throws Exception {
    try (WritersFixture source = new WritersFixture(TABLES)) {
      source.move("plain");
      source.execute("DROP FUNCTION sluice_moved.refuse_ddl() CASCADE");
      assertThat(source.opened()).isEmpty();
      source.execute("ALTER TABLE plain ADD COLUMN more int");
      source.assertRefused(result(source.async("INSERT INTO plain VALUES (1)")));
      source.reopen();
      assertThat(source.isUntouched()).isTrue();
    }
    try (WritersFixture source = new WritersFixture(TABLES)) {
      source.move("plain", "parted");
      source.execute("DROP SCHEMA sluice_moved CASCADE");
      assertThat(source.isUntouched()).isTrue();
      source.execute("DROP TABLE plain, parted");
    }
  }

  /** Somebody has altered what it reads: what it cannot tell it lets pass. */
  @Test
  void whereItFailsItIsInNobodysWay() throws Exception {
    try (WritersFixture source = new WritersFixture(TABLES)) {
      source.move("plain");
      source.execute("ALTER TABLE sluice_moved.decision RENAME TO something_else");
      source.execute("ALTER TABLE free ADD COLUMN more int", "DROP TABLE free");
      source.execute("ALTER TABLE plain ADD COLUMN more int");
    }
  }

  @Test
  void anEventTriggerThatDoesNotFireIsNamedWithTheFix() throws Exception {
    try (WritersFixture source = new WritersFixture(TABLES)) {
      source.move("plain");
      doesNotFire(source, "ALTER EVENT TRIGGER sluice_moved_end DISABLE", "is disabled");
      doesNotFire(source, "ALTER EVENT TRIGGER sluice_moved_drop ENABLE", "does not fire always");
      doesNotFire(source, "DROP EVENT TRIGGER sluice_moved_end", "is not there as it was made");
      doesNotFire(source, "DROP EVENT TRIGGER sluice_moved_drop", "is not there as it was made");
      source.execute("ALTER DATABASE " + source.database + " SET event_triggers = off");
      assertThat(source.opened()).hasSize(2);
      assertThat(source.opened().toString()).contains("event_triggers is off");
    }
  }

  private static void doesNotFire(WritersFixture source, String sql, String found)
      throws Exception {
    source.execute(sql);
    List<Problem> problems = source.opened();
    assertThat(problems).hasSize(1);
    assertThat(problems.get(0).found()).contains(found);
    source.execute(
        problems.get(0).fix().replace("Run on the source: ", "").replaceFirst("\\. Or, .*", ""));
    assertThat(source.opened()).isEmpty();
    for (String refused :
        List.of(
            "SET session_replication_role = replica; DROP TABLE plain",
            "ALTER TABLE plain ADD COLUMN other int")) {
      assertThat((Throwable) result(source.async(refused))).hasMessageContaining("was moved to");
    }
  }

  @Test
  void aRoleThatMayNotMakeEventTriggersClosesTheTablesAllTheSame() throws Exception {
    try (WritersFixture source = new WritersFixture("CREATE ROLE modest LOGIN")) {
      try {
        source.execute(
            "CREATE TABLE t (id int)",
            "ALTER TABLE t OWNER TO modest",
            "GRANT CREATE ON DATABASE " + source.database + " TO modest");
        WriterStop modest = source.source("modest", source.port()).writers().orElseThrow();
        assertThat(modest.mayRefuseDdl()).isFalse();
        assertThat(source.writers().mayRefuseDdl()).isTrue();
        try (StoppedWriters stopped = modest.stop(source.request("t"))) {
          stopped.prepareMove(MOVED_TO);
          assertThat(stopped.refusesDdl()).isFalse();
          stopped.decide();
        }
        source.assertRefused(result(source.async("INSERT INTO t VALUES (1)")));
        assertThat(modest.opened(Optional.of(source.cutover), ids("t"))).isEmpty();
        source.execute("ALTER TABLE t ADD COLUMN more int");
        modest.reopen(WriterStop.Whose.only(source.cutover));
        assertThat(source.isUntouched()).isTrue();
      } finally {
        source.execute("DROP OWNED BY modest CASCADE", "DROP ROLE modest");
      }
    }
  }
}
