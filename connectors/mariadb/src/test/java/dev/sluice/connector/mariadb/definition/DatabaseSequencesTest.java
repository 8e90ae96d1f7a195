package dev.sluice.connector.mariadb.definition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.DefinitionStatement;
import dev.sluice.connector.api.load.SequenceState;
import dev.sluice.connector.api.load.TableDefinitions;
import dev.sluice.connector.api.source.load.DefinitionRequest;
import dev.sluice.connector.api.source.load.SequenceReading;
import dev.sluice.connector.api.source.load.SourceReader;
import dev.sluice.connector.mariadb.SourceDatabase;
import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The sequences of MariaDB, which are no columns' own. */
class DatabaseSequencesTest {
  @BeforeAll
  static void requireBinaries() {
    assumeTrue(EmbeddedMariadb.isAvailable(), "the MariaDB binaries are for Linux on x86-64");
  }

  @Test
  void aSequenceInADefaultIsMadeAndGoesOnBehindAllThatTheSourceHasGivenOut() throws SQLException {
    try (SourceDatabase database =
            new SourceDatabase(
                "CREATE SEQUENCE `in``voice` START 100 INCREMENT 5 CACHE 4",
                "CREATE SEQUENCE back START -1 INCREMENT -1 MINVALUE -50 MAXVALUE -1 CACHE 0 CYCLE",
                // The identity of the column would have this name.
                "CREATE SEQUENCE t_id_seq",
                "CREATE TABLE t (id bigint unsigned AUTO_INCREMENT PRIMARY KEY,"
                    + " n bigint DEFAULT nextval(`in``voice`), b smallint DEFAULT nextval(back),"
                    + " w varchar(30) DEFAULT nextval(t_id_seq))",
                "INSERT INTO t (id) VALUES (1), (2), (3)");
        EmbeddedPostgres postgres = EmbeddedPostgres.start();
        Connection target = postgres.connect();
        Statement statement = target.createStatement()) {
      SourceReader reader = database.source().reader();
      TableDefinitions definitions =
          reader.definitions(
              new DefinitionRequest(List.of(database.table("t")), name -> name, 16, false));
      // A second run finds what is there.
      for (int i = 0; i < 2; i++) {
        for (DefinitionStatement each : definitions.needed()) {
          if (each.thing().startsWith("sequence") || i == 0) {
            statement.execute(each.sql());
          }
        }
      }
      for (DefinitionStatement each : definitions.tables()) {
        statement.execute(each.sql());
      }
      SequenceReading reading = reader.sequences(List.of(database.table("t")), any -> false);
      assertThat(reading.unreadable()).isEmpty();
      SequenceState invoice = state(reading, database.table("in`voice"));
      assertThat(invoice.lastValue()).isEqualTo(120);
      assertThat(invoice.form())
          .hasToString("INCREMENT 5 MINVALUE 1 MAXVALUE 9223372036854775806 CACHE 4 NO CYCLE");
      assertThat(state(reading, database.table("back")).lastValue()).isEqualTo(-4);

      statement.execute("INSERT INTO %s.t (id) VALUES (9)".formatted(TableId.quote(database.name)));
      try (ResultSet row =
          statement.executeQuery(
              "SELECT n, b, w FROM %s.t".formatted(TableId.quote(database.name)))) {
        row.next();
        assertThat(row.getLong(1)).isEqualTo(120);
        assertThat(row.getLong(2)).isEqualTo(-4);
        assertThat(row.getString(3)).as("it is no number's default").isNull();
      }
      assertThat(
              reader.constraints(
                  new DefinitionRequest(List.of(database.table("t")), name -> name, 16, false)))
          .extracting(step -> step.name())
          .containsExactly("default of " + database.table("t") + ".w");
    }
  }

  @Test
  void aSequenceThatNoColumnUsesIsReadIfItIsSelected() throws SQLException {
    try (SourceDatabase database =
        new SourceDatabase("CREATE SEQUENCE free", "CREATE TABLE t (id int PRIMARY KEY)")) {
      SourceReader reader = database.source().reader();
      List<TableId> tables = List.of(database.table("t"));
      assertThat(reader.sequences(tables, any -> false).states()).isEmpty();
      assertThat(reader.sequences(tables, database.table("free")::equals).states())
          .extracting(SequenceState::sequence)
          .containsExactly(database.table("free"));
    }
  }

  private static SequenceState state(SequenceReading reading, TableId sequence) {
    return reading.states().stream()
        .filter(state -> state.sequence().equals(sequence))
        .findFirst()
        .orElseThrow();
  }
}
