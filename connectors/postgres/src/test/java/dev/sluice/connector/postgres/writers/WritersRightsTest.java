package dev.sluice.connector.postgres.writers;

import static dev.sluice.connector.postgres.writers.WritersFixture.MOVED_TO;
import static dev.sluice.connector.postgres.writers.WritersFixture.PATIENCE;
import static dev.sluice.connector.postgres.writers.WritersFixture.execute;
import static dev.sluice.connector.postgres.writers.WritersFixture.ids;
import static dev.sluice.connector.postgres.writers.WritersFixture.result;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.source.writers.StoppedWriters;
import dev.sluice.connector.api.source.writers.WriterStop;
import dev.sluice.connector.api.source.writers.WriterStop.Decision;
import dev.sluice.connector.postgres.PostgresSource;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Roles with less than a superuser's rights, and event triggers that watch all statements. */
class WritersRightsTest {

  @Test
  void allMissingRightsAreNamedAtOnceWithStatementsThatGrantThem() throws Exception {
    try (WritersFixture source =
        new WritersFixture(
            "CREATE ROLE \"Owner one\"",
            "CREATE ROLE ordinary LOGIN",
            "CREATE SCHEMA \"Shop s\"",
            "CREATE TABLE \"Shop s\".t (id int)",
            "CREATE TABLE parted (id int) PARTITION BY LIST (id)",
            "CREATE TABLE leaf PARTITION OF parted DEFAULT",
            "CREATE TABLE withheld (id int)",
            "ALTER TABLE parted OWNER TO \"Owner one\"",
            "ALTER TABLE leaf OWNER TO \"Owner one\"",
            "ALTER TABLE withheld OWNER TO ordinary",
            "REVOKE ALL ON withheld FROM ordinary")) {
      try {
        WriterStop writers = source.source("ordinary", source.port()).writers().orElseThrow();
        List<TableId> tables = new ArrayList<>(ids("parted", "withheld"));
        tables.add(new TableId("Shop s", "t"));
        source.execute("ALTER TABLE \"Shop s\".t OWNER TO \"Owner one\"");
        List<Problem> lacking = writers.lacking(tables);
        assertThat(lacking).hasSize(4);
        assertThat(lacking.toString())
            .contains("tables Shop s.t, public.leaf, public.parted on the source")
            .contains("they belong to role Owner one");
        WriterStop.Request request =
            new WriterStop.Request(source.cutover, tables, PATIENCE, PATIENCE);
        assertThatThrownBy(() -> writers.stop(request)).isInstanceOf(SluiceException.Fatal.class);
        for (Problem problem : lacking) {
          source.execute(problem.fix().replaceFirst("; or for each.*", ""));
        }
        assertThat(writers.lacking(tables)).isEmpty();
        // These rights suffice, and the role may not set deadlock_timeout.
        try (StoppedWriters stopped = writers.stop(request)) {
          stopped.prepareMove(MOVED_TO);
          stopped.decide();
        }
        assertThat(writers.decision(source.cutover, PATIENCE)).isEqualTo(Decision.MOVED);
        source.assertRefused(result(source.async("INSERT INTO leaf VALUES (1)")));
        assertThat(writers.opened(Optional.empty(), List.of())).isEmpty();
        assertThat(
                writers
                    .reopen(new WriterStop.Whose(WritersFixture.MOVED_TO, table -> true))
                    .opened())
            .hasSize(4);
        assertThat(source.isUntouched()).isTrue();
      } finally {
        source.execute(
            "DROP OWNED BY ordinary, \"Owner one\" CASCADE",
            "DROP ROLE ordinary",
            "DROP ROLE \"Owner one\"");
      }
    }
  }

  @Test
  void theRoleOfTheWayBackClosesAndOpensWhatItMakes() throws Exception {
    try (WritersFixture source =
        new WritersFixture(
            "CREATE ROLE keeper LOGIN",
            "CREATE ROLE carrier LOGIN",
            "GRANT keeper TO carrier",
            "CREATE TABLE t (id int)",
            "ALTER TABLE t OWNER TO keeper",
            "GRANT CREATE, USAGE ON SCHEMA public TO keeper, carrier")) {
      try {
        source.execute("GRANT CREATE ON DATABASE " + source.database + " TO keeper");
        WriterStop keeper = source.source("keeper", source.port()).writers().orElseThrow();
        try (StoppedWriters stopped = keeper.stop(source.request("t"))) {
          stopped.prepareMove(MOVED_TO, Optional.of("carrier"));
          stopped.decide();
        }
        try (Connection carrier = source.connect("carrier")) {
          execute(carrier, source.makingClosed("made"));
        }
        // Another table than the cutover closed has the name; it is closed only if that is always.
        assertThat(keeper.opened(Optional.of(source.cutover), ids("made")).toString())
            .contains("another table has its name");
        try (Connection carrier = source.connect("carrier")) {
          execute(carrier, "ALTER TABLE made ENABLE ALWAYS TRIGGER \"!sluice_moved\"");
        }
        assertThat(keeper.opened(Optional.of(source.cutover), ids("made", "t"))).isEmpty();
        WriterStop.Whose whose = WriterStop.Whose.only(source.cutover);
        assertThatThrownBy(() -> keeper.reopen(whose)).hasMessageContaining("made");
        WriterStop carrier = source.source("carrier", source.port()).writers().orElseThrow();
        assertThat(carrier.reopenMade(WriterStop.Whose.only(UUID.randomUUID()))).isEmpty();
        assertThat(carrier.reopenMade(whose)).containsExactlyElementsOf(ids("made"));
        keeper.reopen(whose);
        assertThat(source.isUntouched()).isTrue();
      } finally {
        source.execute("DROP OWNED BY keeper, carrier CASCADE", "DROP ROLE carrier, keeper");
      }
    }
  }

  @Test
  void aRoleWithoutAnyRightsLearnsThatNothingWasDecided() throws Exception {
    try (WritersFixture source = new WritersFixture("CREATE ROLE reader LOGIN")) {
      try {
        WriterStop writers = source.source("reader", source.port()).writers().orElseThrow();
        assertThat(writers.decision(source.cutover, PATIENCE)).isEqualTo(Decision.NOT_MOVED);
        assertThat(writers.opened(Optional.empty(), List.of())).isEmpty();
        assertThat(
                writers
                    .reopen(new WriterStop.Whose(WritersFixture.MOVED_TO, table -> true))
                    .opened())
            .isEmpty();
      } finally {
        source.execute("DROP ROLE reader");
      }
    }
  }

  @Test
  void eventTriggersReportNothingOfIt() throws Exception {
    String slot = "report_slot";
    try (WritersFixture source =
        new WritersFixture(
            "CREATE TABLE t (id int PRIMARY KEY)",
            "CREATE TABLE parted (id int PRIMARY KEY) PARTITION BY RANGE (id)",
            "CREATE TABLE low PARTITION OF parted FOR VALUES FROM (0) TO (10)")) {
      PostgresSource postgres = source.source("postgres", source.port());
      Optional<String> obstacle = postgres.definitionTrigger().install();
      assertThat(obstacle).isEmpty();
      source.text("SELECT pg_create_logical_replication_slot('" + slot + "', 'pgoutput')");
      try {
        String known =
            "SELECT count(*) FROM sluice_ddl.known WHERE relation IN"
                + " ('t'::regclass, 'parted'::regclass, 'low'::regclass)";
        String before = source.text(known);
        source.move("t", "parted");
        assertThat(source.text(known)).isEqualTo(before);
        source
            .writers()
            .reopen(new WriterStop.Whose(WritersFixture.MOVED_TO, table -> true))
            .opened();
        assertThat(source.text(known)).isEqualTo(before);
        // I: an inserted row of sluice_ddl.report.
        assertThat(
                source.text(
                    "SELECT count(*) FROM pg_logical_slot_peek_binary_changes('"
                        + slot
                        + "', NULL, NULL, 'proto_version', '1', 'publication_names', 'sluice_ddl')"
                        + " WHERE get_byte(data, 0) = ascii('I')"))
            .isEqualTo("0");
        // A dump by an ordinary role can read what is left of a moved source.
        source.execute("CREATE ROLE dumping LOGIN");
        source.move("t");
        try (Connection dumping = source.connect("dumping")) {
          execute(dumping, "BEGIN; LOCK TABLE sluice_moved.decision IN ACCESS SHARE MODE; COMMIT");
        }
      } finally {
        source.execute("DROP ROLE IF EXISTS dumping");
        source.text("SELECT pg_drop_replication_slot('" + slot + "')::text");
        postgres.definitionTrigger().remove();
      }
    }
  }
}
