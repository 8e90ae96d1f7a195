package dev.sluice.engine.load;

import static dev.sluice.engine.load.completion.TwoDatabases.table;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.engine.load.completion.TwoDatabases;
import dev.sluice.engine.load.completion.TwoDatabases.Direction;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SequenceCopyTest {
  private TwoDatabases databases;

  @BeforeEach
  void createDatabases() throws SQLException {
    databases = new TwoDatabases(Direction.TO_OLDER);
    databases.onBoth("CREATE SCHEMA app");
  }

  @AfterEach
  void close() throws SQLException {
    databases.close();
  }

  @Test
  void theNextValueOnTheTargetIsTheOneTheSourceWouldGive() throws SQLException {
    databases.onBoth(
        "CREATE TABLE app.t (a int GENERATED ALWAYS AS IDENTITY, b serial, c text)",
        "CREATE SEQUENCE app.\"Shared 1\" INCREMENT BY -5 MINVALUE -1000 MAXVALUE 50 START 50",
        "CREATE TABLE app.u (a bigint DEFAULT nextval('app.\"Shared 1\"'), b smallserial)");
    databases.onSource(
        "INSERT INTO app.t (c) SELECT 'x' FROM generate_series(1, 7)",
        "INSERT INTO app.u (b) VALUES (1), (1)",
        "SELECT setval('app.t_b_seq', 40, false)");

    SequenceCopy.Result result = copy(table("t"), table("u"));

    assertThat(result.notSet()).isEmpty();
    assertThat(result.set()).hasSize(4);
    for (String sequence : List.of("t_a_seq", "t_b_seq", "\"Shared 1\"", "u_b_seq")) {
      String next = "SELECT nextval('app." + sequence + "')";
      assertThat(databases.targetRows(next)).as(sequence).isEqualTo(databases.sourceRows(next));
    }
  }

  @Test
  void aColumnsSequenceIsFoundUnderAnotherNameToo() throws SQLException {
    databases.onBoth("CREATE TABLE app.t (a int GENERATED ALWAYS AS IDENTITY, c text)");
    databases.onTarget("ALTER SEQUENCE app.t_a_seq RENAME TO other");
    databases.onSource("INSERT INTO app.t (c) VALUES ('x'), ('x')");

    copy(table("t"));

    assertThat(databases.targetRows("SELECT nextval('app.other')")).containsExactly("3");
  }

  @Test
  void sequencesOfPartitionsAreCopied() throws SQLException {
    databases.onBoth(
        "CREATE TABLE app.p (a int, b int) PARTITION BY LIST (a)",
        "CREATE SEQUENCE app.of_leaf",
        "CREATE TABLE app.p1 PARTITION OF app.p (b DEFAULT nextval('app.of_leaf'))"
            + " FOR VALUES IN (1)");
    databases.onSource("INSERT INTO app.p1 (a) VALUES (1), (1)");

    copy(table("p"));

    assertThat(databases.targetRows("SELECT nextval('app.of_leaf')")).containsExactly("3");
  }

  @Test
  void aMissingSequenceIsNamedWithItsFix() throws SQLException {
    databases.onSource("CREATE TABLE app.t (a serial)", "INSERT INTO app.t VALUES (DEFAULT)");
    databases.onTarget("CREATE TABLE app.t (a int)");

    SequenceCopy.Result result = copy(table("t"));

    assertThat(result.set()).isEmpty();
    assertThat(result.notSet())
        .singleElement()
        .hasToString(
            "target sequence app.t_a_seq: is not there; expected a sequence for app.t.a, as on the"
                + " source. Create it with the source's options, and set it to at least 1:"
                + " SELECT setval('\"app\".\"t_a_seq\"', 1, true);");
  }

  @Test
  void sequencesOfTheTablesSchemasThatNoColumnUsesAreCopiedAndThoseOfOtherTablesAreNot()
      throws SQLException {
    databases.onBoth(
        "CREATE TABLE app.t (a int)",
        "CREATE SEQUENCE app.tickets",
        "CREATE SEQUENCE app.narrow AS smallint",
        "CREATE TABLE app.other (a serial)",
        "CREATE SCHEMA elsewhere",
        "CREATE SEQUENCE elsewhere.s");
    databases.onSource(
        "SELECT setval('app.tickets', 9)",
        "ALTER SEQUENCE app.narrow AS bigint MAXVALUE 100000",
        "SELECT setval('app.narrow', 70000)",
        "SELECT setval('app.other_a_seq', 9), setval('elsewhere.s', 9)",
        "CREATE SEQUENCE app.unknown");

    SequenceCopy.Result result =
        SequenceCopy.copy(
            databases.source(),
            databases.target(),
            List.of(table("t")),
            TableMappings.parse(
                "mappings",
                """
                {"rules": [{"rule-type": "selection", "rule-id": "1", "rule-name": "1",
                  "object-locator": {"schema-name": "app", "table-name": "t"},
                  "rule-action": "include"}]}
                """,
                Optional.empty()));

    assertThat(result.set()).extracting(state -> state.sequence().name()).containsOnly("tickets");
    assertThat(result.notSet())
        .extracting(Problem::thing)
        .containsExactlyInAnyOrder("target sequence app.narrow", "target sequence app.unknown");
    assertThat(databases.targetRows("SELECT nextval('app.tickets')")).containsExactly("10");
    assertThat(databases.targetRows("SELECT nextval('app.other_a_seq'), nextval('elsewhere.s')"))
        .containsExactly("1 | 1");
  }

  @Test
  void aTargetSequenceIsNeverSetBack() throws SQLException {
    databases.onBoth(
        "CREATE TABLE app.up (a serial)",
        "CREATE SEQUENCE app.falling INCREMENT BY -1",
        "CREATE TABLE app.down (a int DEFAULT nextval('app.falling'))");
    databases.onSource("SELECT setval('app.up_a_seq', 5), setval('app.falling', -5)");
    databases.onTarget("SELECT setval('app.up_a_seq', 9), setval('app.falling', -9)");

    copy(table("up"), table("down"));

    assertThat(databases.targetRows("SELECT nextval('app.up_a_seq'), nextval('app.falling')"))
        .containsExactly("10 | -10");
  }

  private SequenceCopy.Result copy(TableId... tables) {
    return SequenceCopy.copy(
        databases.source(), databases.target(), List.of(tables), TableMappings.EVERYTHING);
  }
}
