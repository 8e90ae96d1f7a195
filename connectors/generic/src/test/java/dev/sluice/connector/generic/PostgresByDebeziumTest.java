package dev.sluice.connector.generic;

import static dev.sluice.connector.generic.CaptureFixture.changes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.source.SourceIdentity;
import dev.sluice.connector.journal.JournalReader;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** PostgreSQL by Debezium's connector. */
class PostgresByDebeziumTest extends GenericCaptureContract {
  private static final String[] COLUMNS = {
    "id int",
    "int2_ smallint",
    "int8_ bigint",
    "numeric_ numeric",
    "numeric3 numeric(12,3)",
    "real_ real",
    "double_ double precision",
    "bool_ boolean",
    "text_ text",
    "varchar_ varchar(10)",
    "char_ char(5)",
    "bytea_ bytea",
    "date_ date",
    "time_ time",
    "timestamp_ timestamp",
    "timestamp0 timestamp(0)",
    "timestamptz_ timestamptz",
    "interval_ interval",
    "uuid_ uuid",
    "json_ json",
    "jsonb_ jsonb",
    "xml_ xml",
    "inet_ inet",
    "cidr_ cidr",
    "range_ int4range",
    "ints int[]",
    "texts text[]",
    "point_ point",
    "bit1 bit(1)",
    "vector tsvector"
  };

  private static final String[] ROWS = {
    """
    (1, -32768, 9223372036854775807, 1.50, -1.500, 1.5, 0.1, true, 'ä€😀\\n''"', 'v', 'c',
    '\\x00ff', '2024-02-29', '23:59:59.999999', '2024-02-29 12:34:56.123456',
    '2024-02-29 12:34:56', '2024-02-29 12:34:56.123456+02', '1 year 2 months -3 days 04:05:06.7',
    'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '{"a":  1}', '{"a": 1}', '<a>b</a>', '10.0.0.1/8',
    '10.0.0.0/8', '[1,5)', '{1,NULL,3}', '{"a,b","\\"q\\"",NULL,""}', '(1.5,2)', B'1', 'a b')""",
    """
    (2, 0, -9223372036854775808, 'NaN', 'NaN', 'NaN', '-Infinity', false, '', '', '',
    '', '0001-01-01', '24:00:00', 'infinity',
    '1969-12-31 23:59:59', '-infinity', '-1 day', '00000000-0000-0000-0000-000000000000', 'null',
    '[]', '<a/>', '::1', '::/0', 'empty', '{}', '{}', '(0,0)', B'0', '')""",
    """
    (3, NULL, NULL, 1e-30, NULL, 1e-37, 1e308, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    '0044-03-15 12:00:00.5 BC', NULL, '0044-03-15 12:00:00 BC', NULL, NULL, NULL, NULL, NULL, NULL,
    NULL, NULL, NULL, NULL, NULL, NULL, NULL)"""
  };

  @Override
  CapturedDatabase database() {
    return new PostgresDatabase();
  }

  @Test
  void eachValueOfSnapshotAndLogIsTheSourcesAgainWhenPostgresqlReadsItsText() throws Exception {
    try (CaptureFixture fixture = new CaptureFixture(database()).table("a", COLUMNS);
        JournalReader reader = fixture.reader();
        Connection connection = fixture.database.connect()) {
      String rows = String.join(", ", ROWS);
      fixture.execute("INSERT INTO a VALUES " + rows);
      fixture.capture();
      for (Row row : CaptureFixture.rows(fixture.read(reader, 1).get(0))) {
        requireSame(connection, row);
      }
      fixture.execute("DELETE FROM a", "INSERT INTO a VALUES " + rows);
      for (Row row : CaptureFixture.rows(fixture.read(reader, 2).get(1))) {
        requireSame(connection, row);
      }
    }
  }

  private static void requireSame(Connection connection, Row row) throws SQLException {
    for (int i = 0; i < COLUMNS.length; i++) {
      String[] column = COLUMNS[i].split(" ", 2);
      String sql =
          "SELECT (?::text::%s)::text IS NOT DISTINCT FROM %s::text, %s::text FROM a WHERE id = ?::int"
              .formatted(column[1], column[0], column[0]);
      try (PreparedStatement statement = connection.prepareStatement(sql)) {
        statement.setString(1, row.text(i));
        statement.setString(2, row.text(0));
        try (ResultSet result = statement.executeQuery()) {
          assertThat(result.next()).isTrue();
          assertThat(result.getBoolean(1))
              .as(
                  "row %s, %s: %s, captured %s",
                  row.text(0), COLUMNS[i], result.getString(2), row.text(i))
              .isTrue();
        }
      }
    }
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      value = {
        "bit varying(5), B'101'",
        "bit(3), B'101'",
        "timetz, '10:00+02'",
        "timetz[], '{10:00+02}'"
      })
  void aValueThatDebeziumAltersOrLeavesAmbiguousStopsTheCapture(String type, String value) {
    try (CaptureFixture fixture =
        new CaptureFixture(database()).table("a", "id int", "v " + type)) {
      fixture.execute("INSERT INTO a VALUES (1, %s)".formatted(value));
      fixture.capture();
      assertThat(fixture.failure())
          .isInstanceOf(SluiceException.Fatal.class)
          .hasMessageContaining("public.a")
          .hasMessageMatching("(?s).*column (public\\.a\\.)?v\\b.*");
    }
  }

  @Test
  void aLargeValueThatTheLogDoesNotRepeatStaysUnchangedAlsoWithAnotherKey() {
    try (CaptureFixture fixture =
            new CaptureFixture(database()).table("a", "id int", "t text", "n int");
        JournalReader reader = fixture.reader()) {
      fixture.execute(
          "ALTER TABLE a ALTER t SET STORAGE EXTERNAL",
          "INSERT INTO a VALUES (1, repeat('x', 5000), 1)");
      fixture.capture();
      fixture.read(reader, 1);
      fixture.execute("UPDATE a SET n = 2", "UPDATE a SET id = 9");
      List<JournalReader.Transaction> read = fixture.read(reader, 2);
      assertThat(changes(read.get(0))).containsExactly("1:1,unchanged,2");
      assertThat(changes(read.get(1))).containsExactly("1:9,unchanged,2");
    }
  }

  /** Neither identity nor definitions were recorded as they are now. */
  @Test
  void aTaskThatAnEarlierVersionBeganGoesOnAndKeepsItsDefinitionsFromThenOn() throws SQLException {
    CapturedDatabase database = database();
    CaptureFixture fixture = new CaptureFixture(database).table("a", "id int", "n numeric(10,2)");
    SourceOfTask task =
        SourceOfTask.of("upgraded-" + database.schema(), database, new Position(1, 0));
    task.journal(() -> fixture.execute("INSERT INTO a VALUES (1, 1.25)"));
    task.forgetDefinitions();
    SourceOfTask upgraded = task.again(database);
    upgraded.journal(() -> fixture.execute("INSERT INTO a VALUES (2, 2.25)"));
    fixture.execute(database.alter("a", "n", "numeric(12,4)"));
    assertThatThrownBy(() -> upgraded.again(database).capture())
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("table " + fixture.id("a"));
  }

  /** The start that stored them was killed on the way. */
  @Test
  void definitionsThatWereStoredInPartAreCompletedByTheNextStart() throws SQLException {
    CapturedDatabase database = database();
    CaptureFixture fixture =
        new CaptureFixture(database)
            .table("a", "id int", "n numeric(10,2)")
            .table("b", "id int", "n numeric(10,2)");
    SourceOfTask task =
        SourceOfTask.of("partly-" + database.schema(), database, new Position(1, 0));
    task.journal(() -> fixture.execute("INSERT INTO a VALUES (1, 1.25)"));
    task.forgetDefinitions(fixture.id("b").toString());
    SourceOfTask next = task.again(database);
    next.capture().close();
    fixture.execute(
        database.alter("a", "n", "numeric(12,4)"), database.alter("b", "n", "numeric(12,4)"));
    assertThatThrownBy(() -> next.again(database).capture())
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("table " + fixture.id("a"))
        .hasMessageContaining("table " + fixture.id("b"));
  }

  /** Else the definitions of the wrong server would be taken for the task's. */
  @Test
  void aServerThatDoesNotHaveTheSlotIsRefusedAndNothingOfItIsRecorded() throws SQLException {
    CapturedDatabase database = database();
    CaptureFixture fixture = new CaptureFixture(database).table("a", "id int", "t text");
    SourceOfTask task =
        SourceOfTask.of("copied-" + database.schema(), database, new Position(1, 0));
    task.journal(() -> fixture.execute("INSERT INTO a VALUES (1, 'one')"));
    task.forgetDefinitions();
    database.loseTheLog(database.waysToLoseTheLog().get(0));
    SourceOfTask again = task.again(database);
    try {
      assertThatThrownBy(again::capture)
          .isInstanceOf(SluiceException.Fatal.class)
          .hasMessageContaining("the source does not have it")
          .hasMessageContaining("If source.url leads to the wrong server, correct it");
      assertThat(again.notes()).isEmpty();
    } finally {
      again.source.releaseClaim();
    }
  }

  @Test
  void anIdentityThatAnEarlierVersionRecordedNamesTheSameSource() {
    CapturedDatabase database = database();
    Map<String, String> properties = database.properties();
    GenericSource source = SourceOfTask.of("identity", database, properties).source;
    String address =
        "POSTGRESQL at 127.0.0.1:%s/%s"
            .formatted(properties.get("database.port"), properties.get("database.dbname"));
    SourceIdentity now = source.identity();
    assertThat(now.system()).matches("[0-9]+");
    assertThat(source.identityAs(address)).isEqualTo(new SourceIdentity(address, 1));
    assertThat(source.identityAs(address + "2")).isEqualTo(now);
    assertThat(source.identityAs(now.system())).isEqualTo(now);
  }
}
