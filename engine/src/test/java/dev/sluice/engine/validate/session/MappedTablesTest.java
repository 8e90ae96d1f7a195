package dev.sluice.engine.validate.session;

import static dev.sluice.engine.validate.session.MovingPair.table;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.config.transformation.ColumnNames;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.comparison.KeyRange;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.engine.validate.session.TableFindings.End;
import dev.sluice.engine.validate.session.UncomparedColumn.Why;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The target is compared with what should be there, by mappings and types. */
class MappedTablesTest {
  private MovingPair pair;

  @BeforeEach
  void create() throws SQLException {
    pair = new MovingPair();
  }

  @AfterEach
  void close() throws SQLException {
    pair.close();
  }

  private static TableMappings mappings(String selection, String... rules) {
    String all =
        """
        {"rules": [{"rule-type": "selection", "rule-id": "1", "rule-name": "1",
          "rule-action": "include", "object-locator": {"schema-name": "app", "table-name": "t"}%s}%s]}
        """;
    String others = rules.length == 0 ? "" : ", " + String.join(", ", rules);
    return TableMappings.parse("mappings", all.formatted(selection, others), Optional.empty());
  }

  private static String ofColumn(int id, String action, String column, String further) {
    return """
    {"rule-type": "transformation", "rule-id": "%d", "rule-name": "%d", "rule-action": "%s",
     "rule-target": "column", "object-locator": {"schema-name": "app", "table-name": "t",
     "column-name": "%s"}%s}
    """
        .formatted(id, id, action, column, further);
  }

  private TableFindings compare(TableMappings mappings) throws InterruptedException {
    return compare(mappings, "id");
  }

  private TableFindings compare(TableMappings mappings, String key) throws InterruptedException {
    return MovingPair.compare(
        pair.session(mappings, new AppliedKeys(pair.keys(), ColumnNames.SAME)),
        ComparisonPlan.whole(table("t"), List.of(key)));
  }

  @Test
  void filteredRowsAreNotMissingAndMustNotBeOnTheTarget() throws Exception {
    pair.onBoth("CREATE TABLE app.t (id int PRIMARY KEY, amount int)");
    pair.onSource("INSERT INTO app.t SELECT i, i % 20 FROM generate_series(1, 5000) i");
    pair.onTarget(
        "INSERT INTO app.t SELECT i, i % 20 FROM generate_series(1, 5000) i WHERE i % 20 >= 10");
    TableMappings filtered =
        mappings(
            """
            , "filters": [{"filter-type": "source", "column-name": "amount",
              "filter-conditions": [{"filter-operator": "gte", "value": "10"}]}]\
            """);

    assertThat(compare(filtered).isProven()).isTrue();

    pair.onTarget("INSERT INTO app.t VALUES (1, 1)");
    assertThat(compare(filtered).differences())
        .singleElement()
        .matches(row -> row.kind() == RowDifference.Kind.EXTRA);
  }

  @Test
  void renamedRemovedAndAddedColumnsMeetByTheRules() throws Exception {
    pair.onSource(
        "CREATE TABLE app.t (id int PRIMARY KEY, old text, secret text, g int GENERATED ALWAYS AS (id * 2) STORED)",
        "INSERT INTO app.t SELECT i, 'o' || i, 's' FROM generate_series(1, 100) i");
    pair.onTarget(
        "CREATE TABLE app.t (extra int DEFAULT 1, key int PRIMARY KEY, new text, g int)",
        "INSERT INTO app.t SELECT 1, i, 'o' || i, i * 2 FROM generate_series(1, 100) i");
    TableMappings mapped =
        mappings(
            "",
            ofColumn(2, "rename", "old", ", \"value\": \"new\""),
            ofColumn(3, "rename", "id", ", \"value\": \"key\""),
            ofColumn(4, "remove-column", "secret", ""));

    TableFindings found = compare(mapped);

    assertThat(found.isProven()).isTrue();
    assertThat(found.columns()).containsExactly("id", "old", "g");
    assertThat(found.notCompared())
        .containsExactlyInAnyOrder(
            new UncomparedColumn("secret", Why.ONLY_ON_SOURCE),
            new UncomparedColumn("extra", Why.ONLY_ON_TARGET));
    pair.onTarget("UPDATE app.t SET new = 'x', g = 0 WHERE key = 4");
    assertThat(compare(mapped).differences()).hasSize(1);
  }

  @Test
  void cutValuesAreComparedAsTheyAreCut() throws Exception {
    pair.onBoth("CREATE TABLE app.t (id int PRIMARY KEY, t text, b bytea)");
    pair.onSource(
        "INSERT INTO app.t SELECT i, repeat('é', 900 + i), decode(repeat('ff', 900 + i), 'hex')"
            + " FROM generate_series(1, 200) i");
    pair.onTarget(
        "INSERT INTO app.t SELECT i, repeat('é', least(1024, 900 + i)),"
            + " decode(repeat('ff', least(1024, 900 + i)), 'hex') FROM generate_series(1, 200) i");

    assertThat(compare(mappings("").cutAt(1)).isProven()).isTrue();
    assertThat(compare(mappings("")).differences()).hasSize(76);
  }

  @Test
  void valuesOfOtherTypesAreComparedAsTheTargetReadsThem() throws Exception {
    pair.onSource(
        "CREATE TABLE app.t (id int PRIMARY KEY, c char(6), n numeric(10, 2), j json, e text,"
            + " f float4, b boolean, ts timestamptz, d numeric)",
        "INSERT INTO app.t VALUES (1, 'ab', 1.5, '{\"b\": 1, \"a\": 2}', 'ok', 0.1, true,"
            + " '2000-01-01 12:00+02', 1.005), (2, '', NULL, '[]', 'sad', 'NaN', false, NULL, 2)");
    pair.onTarget(
        "CREATE TYPE app.mood AS ENUM ('sad', 'ok')",
        "CREATE DOMAIN app.amount AS numeric(12, 4)",
        "CREATE TABLE app.t (id bigint PRIMARY KEY, c text, n app.amount, j jsonb, e app.mood,"
            + " f float8, b text, ts timestamp, d numeric(8, 2))",
        "INSERT INTO app.t VALUES (1, 'ab    ', '1.50', '{\"b\": 1, \"a\": 2}', 'ok', '0.1', 't',"
            + " '2000-01-01 10:00:00+00', '1.005'), (2, '      ', NULL, '[]', 'sad', 'NaN', 'f', NULL, 2)");

    TableFindings found = compare(mappings(""));

    assertThat(found.differences()).isEmpty();
    assertThat(found.isProven()).isTrue();
    assertThat(found.chunks()).allMatch(chunk -> chunk.bounds() instanceof KeyRange);
    pair.onTarget(
        "UPDATE app.t SET c = 'ab' WHERE id = 1", "UPDATE app.t SET b = 'true' WHERE id = 1");
    assertThat(compare(mappings("")).differences()).hasSize(1);
  }

  @Test
  void keysThatTheTargetWritesInAnotherWayAreFound() throws Exception {
    pair.onSource(
        "CREATE TABLE app.t (id numeric(10, 2) PRIMARY KEY, v int)",
        "INSERT INTO app.t SELECT i / 4.0, i FROM generate_series(1, 2500) i");
    pair.onTarget(
        "CREATE TABLE app.t (id numeric(12, 4) PRIMARY KEY, v int)",
        "INSERT INTO app.t SELECT (i / 4.0)::numeric(10, 2), i FROM generate_series(1, 2500) i");

    assertThat(compare(mappings("")).isProven()).isTrue();
    pair.onTarget("DELETE FROM app.t WHERE id = 2.5", "UPDATE app.t SET v = 0 WHERE id = 3.75");
    assertThat(compare(mappings("")).differences()).hasSize(2);
  }

  @Test
  void aRowWhoseKeyTheSourcesTypeLacksIsExtra() throws Exception {
    for (String[] kind :
        new String[][] {
          {"smallint", "int", "i", "40000"},
          {"int", "bigint", "i", "9000000000"},
          {"bigint", "numeric", "i", "1e30"},
          {"int", "numeric", "i", "'NaN'"},
          {"numeric", "text", "i", "'x'"},
          {"uuid", "text", "CAST(lpad(i::text, 32, '0') AS uuid)", "'x'"},
          {"varchar(5)", "text", "'v' || i", "'much longer'"},
          {"date", "timestamp", "date '2000-01-01' + i", "'2000-01-01 12:00'"}
        }) {
      pair.onBoth("DROP TABLE IF EXISTS app.t");
      pair.onSource("CREATE TABLE app.t (id %s PRIMARY KEY)".formatted(kind[0]));
      pair.onTarget("CREATE TABLE app.t (id %s PRIMARY KEY)".formatted(kind[1]));
      pair.onBoth("INSERT INTO app.t SELECT %s FROM generate_series(1, 9) i".formatted(kind[2]));
      assertThat(compare(mappings("")).isProven()).as(kind[0]).isTrue();

      pair.onTarget("INSERT INTO app.t VALUES (%s)".formatted(kind[3]));

      assertThat(compare(mappings("")).differences())
          .as("%s and %s", kind[0], kind[1])
          .singleElement()
          .matches(row -> row.kind() == RowDifference.Kind.EXTRA);
    }
  }

  @Test
  void aRowWithAnIntegerThatTheTargetsTypeLacksIsMissing() throws Exception {
    pair.onSource("CREATE TABLE app.t (id bigint PRIMARY KEY, v int)");
    pair.onTarget("CREATE TABLE app.t (id int PRIMARY KEY, v smallint)");
    pair.onBoth("INSERT INTO app.t SELECT i, i FROM generate_series(1, 3000) i");
    assertThat(compare(mappings("")).isProven()).isTrue();

    pair.onSource(
        "INSERT INTO app.t VALUES (9000000000, 1)", "UPDATE app.t SET v = 40000 WHERE id = 7");

    assertThat(compare(mappings("")).differences())
        .extracting(RowDifference::kind)
        .containsExactlyInAnyOrder(RowDifference.Kind.DIFFERENT, RowDifference.Kind.MISSING);

    pair.onSource("INSERT INTO app.t SELECT 9000000000 + i FROM generate_series(1, 6000) i");
    assertThat(compare(mappings("")).differences()).hasSizeGreaterThan(900);
  }

  @Test
  void touchedKeysThatTheTargetsTypeWritesInAnotherWayAreFound() throws Exception {
    pair.onSource(
        "CREATE TABLE app.t (id text, u text, n text, PRIMARY KEY (id, u, n))",
        "INSERT INTO app.t VALUES (' 012', '{123E4567E89B12D3A456426655440000}', '+1e2')");
    pair.onTarget(
        "CREATE TABLE app.t (id int, u uuid, n numeric, PRIMARY KEY (id, u, n))",
        "INSERT INTO app.t VALUES (12, '123e4567-e89b-12d3-a456-426655440000', 100)");

    RowKey touched = RowKey.of(" 012", "{123E4567E89B12D3A456426655440000}", "+1e2");
    TableFindings found =
        MovingPair.compare(
            pair.session(mappings(""), new AppliedKeys(pair.keys(), ColumnNames.SAME)),
            ComparisonPlan.touched(table("t"), List.of("id", "u", "n"), List.of(touched)));

    assertThat(found.equalKeys()).containsExactly(touched);
  }

  @Test
  void manyRowsWhoseKeysTheSourcesTypeLacksAreRead() throws Exception {
    pair.onSource("CREATE TABLE app.t (id int PRIMARY KEY)");
    pair.onTarget("CREATE TABLE app.t (id bigint PRIMARY KEY)");
    pair.onBoth("INSERT INTO app.t SELECT i FROM generate_series(1, 100) i");
    pair.onTarget("INSERT INTO app.t SELECT 9000000000 + i FROM generate_series(1, 9000) i");

    TableFindings found = compare(mappings(""));

    assertThat(found.why()).hasValue("the session's time was over");
    assertThat(found.differences()).hasSizeGreaterThan(500);
  }

  @Test
  void aDifferenceThatNoKeyFindsProvesNothing() throws Exception {
    pair.onSource(
        "CREATE TABLE app.t (id timestamp PRIMARY KEY)",
        "INSERT INTO app.t VALUES ('2000-01-01'), ('2000-01-02 12:00')");
    pair.onTarget(
        "CREATE TABLE app.t (id date PRIMARY KEY)", "INSERT INTO app.t VALUES ('2000-01-01')");

    TableFindings found = compare(mappings(""));

    assertThat(found.end()).isEqualTo(End.REFUSED);
    assertThat(found.why().orElseThrow()).contains("the key (2000-01-02)", "the same types");
  }

  @Test
  void keysThatAreLeftOutMeetAlsoWhereTheTargetWritesThemInAnotherWay() throws Exception {
    pair.onSource(
        "CREATE TABLE app.t (id numeric(10, 2) PRIMARY KEY, v int)",
        "INSERT INTO app.t VALUES (1.50, 1), (2.50, 2), (3.50, 3)");
    pair.onTarget(
        "CREATE TABLE app.t (id numeric(12, 4) PRIMARY KEY, v int)",
        "INSERT INTO app.t VALUES (1.50, 9), (3.50, 3), (4.50, 4)");
    JournalKeys journal = new AppliedKeys(pair.keys(), ColumnNames.SAME);
    List<RowKey> changed = Stream.of("1.50", "2.50", "4.50").map(RowKey::of).toList();
    JournalKeys leavingOut =
        new JournalKeys() {
          @Override
          public Optional<String> obstacle(String visibleTransactions) {
            return journal.obstacle(visibleTransactions);
          }

          @Override
          public LeftOut notShown(
              TableId table, List<String> key, String visibleTransactions, Position upTo) {
            return new Keys(changed);
          }

          @Override
          public Optional<String> voidedAfter(TableId table, Position after) {
            return Optional.empty();
          }

          @Override
          public void shown(String visibleTransactions) {}
        };
    List<RowKey> touched =
        Stream.of("1.5000", "2.5000", "3.5000", "4.5000").map(RowKey::of).toList();

    TableFindings found =
        MovingPair.compare(
            pair.session(mappings(""), leavingOut),
            new ComparisonPlan(table("t"), List.of("id"), List.of(KeyRange.ALL), touched));

    assertThat(found.differences()).isEmpty();
    assertThat(found.equalKeys()).containsExactly(RowKey.of("3.5000"));
    assertThat(found.hotKeys()).hasSize(3);
    assertThat(found.isProven()).isTrue();
  }

  @Test
  void rowSecurityThatHidesRowsIsRefusedByName() throws Exception {
    String role = "reader_" + System.nanoTime();
    pair.onBoth("CREATE TABLE app.t (id int PRIMARY KEY, v text)");
    pair.onSource(
        "CREATE ROLE " + role + " LOGIN",
        "GRANT USAGE ON SCHEMA app TO " + role,
        "ALTER TABLE app.t ENABLE ROW LEVEL SECURITY",
        "INSERT INTO app.t VALUES (1, 'hidden')");
    try {
      ComparisonSession session =
          new ComparisonSession(
              pair.comparisonSourceAs(role),
              pair.comparisonTarget(),
              TableMappings.EVERYTHING,
              new AppliedKeys(pair.keys(), ColumnNames.SAME),
              any -> pair.endWindow(),
              SessionLimits.DEFAULT);
      ComparisonPlan plan = ComparisonPlan.whole(table("t"), List.of("id"));

      TableFindings noRight = MovingPair.compare(session, plan);
      pair.onSource("GRANT SELECT ON app.t TO " + role);
      TableFindings hidden = MovingPair.compare(session, plan);

      assertThat(noRight.end()).isEqualTo(End.REFUSED);
      assertThat(noRight.why().get()).contains("GRANT SELECT ON \"app\".\"t\" TO \"" + role + "\"");
      assertThat(hidden.end()).isEqualTo(End.REFUSED);
      assertThat(hidden.why().get()).contains("row security hides rows from user " + role);
      pair.onSource("ALTER ROLE " + role + " BYPASSRLS");
      assertThat(MovingPair.compare(session, plan).differences()).hasSize(1);
    } finally {
      pair.onSource("DROP OWNED BY " + role, "DROP ROLE " + role);
    }
  }
}
