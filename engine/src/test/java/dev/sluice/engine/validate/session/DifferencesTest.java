package dev.sluice.engine.validate.session;

import static dev.sluice.engine.validate.session.MovingPair.table;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.connector.api.comparison.KeyBuckets;
import dev.sluice.connector.api.comparison.KeyRange;
import dev.sluice.connector.api.comparison.RowHash.RowForm;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.engine.validate.session.RowDifference.Kind;
import dev.sluice.engine.validate.session.TableFindings.End;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a session finds while both sides stand still. */
class DifferencesTest {
  private MovingPair pair;

  @BeforeEach
  void create() throws SQLException {
    pair = new MovingPair();
  }

  @AfterEach
  void close() throws SQLException {
    pair.close();
  }

  @Test
  void equalTablesAreProvenInChunksOverAllKeys() throws Exception {
    pair.onBoth(
        "CREATE TABLE app.t (id int PRIMARY KEY, v text)",
        "INSERT INTO app.t SELECT i, i::text FROM generate_series(1, 3500) i");

    TableFindings found = pair.compare("t");

    assertThat(found.isProven()).isTrue();
    assertThat(found.rest()).isEmpty();
    assertThat(found.chunks().stream().map(ChunkProof::bounds))
        .containsExactly(
            range(null, "1000"), range("1000", "2000"), range("2000", "3000"), range("3000", null));
    assertThat(found.chunks().stream().mapToLong(chunk -> chunk.source().rows()).sum())
        .isEqualTo(3500);
  }

  @Test
  void aTableThatGotNoFurtherIsReadInSmallerChunks() throws Exception {
    pair.onBoth(
        "CREATE TABLE app.t (id int PRIMARY KEY, v text)",
        "INSERT INTO app.t SELECT i, i::text FROM generate_series(1, 700) i");
    ComparisonPlan whole = ComparisonPlan.whole(table("t"), List.of("id"));

    TableFindings found = pair.compare(whole.withParts(new PartSize(2)));

    assertThat(found.isProven()).isTrue();
    assertThat(found.chunks().stream().map(ChunkProof::bounds))
        .containsExactly(range(null, "250"), range("250", "500"), range("500", null));
  }

  @Test
  void aChunkWithMoreDifferencesThanTheLimitIsFinishedAndTheNextOneLeft() throws Exception {
    pair.onBoth("CREATE TABLE app.t (id int PRIMARY KEY, v text)");
    pair.onSource("INSERT INTO app.t SELECT i, 'a' FROM generate_series(1, 5000) i");
    pair.onTarget("INSERT INTO app.t SELECT i, 'b' FROM generate_series(1, 5000) i");
    SessionLimits few =
        new SessionLimits(Duration.ofSeconds(20), 2000, 100, 10, 100_000, Duration.ofSeconds(10));

    SessionFindings found =
        pair.session(few)
            .run(MovingPair.checkpoint(), List.of(ComparisonPlan.whole(table("t"), List.of("id"))));

    TableFindings table = found.tables().get(0);
    assertThat(table.differences()).hasSize(2000);
    assertThat(table.rest()).containsExactly(range("2000", "4000"), range("4000", null));
    assertThat(table.chunks().stream().map(ChunkProof::resolved))
        .containsExactly(true, false, false);
  }

  private static int after(ChunkProof chunk) {
    return ((KeyRange) chunk.bounds())
        .after()
        .map(key -> Integer.parseInt(key.values().get(0)))
        .orElse(0);
  }

  private static KeyRange range(String after, String upTo) {
    return new KeyRange(
        Optional.ofNullable(after).map(RowKey::of), Optional.ofNullable(upTo).map(RowKey::of));
  }

  @Test
  void eachDifferentMissingAndExtraRowIsFoundWithBothImages() throws Exception {
    pair.onBoth(
        "CREATE TABLE app.t (id int PRIMARY KEY, v text)",
        "INSERT INTO app.t SELECT i, i::text FROM generate_series(1, 3000) i");
    pair.onTarget(
        "UPDATE app.t SET v = NULL WHERE id = 17",
        "DELETE FROM app.t WHERE id = 1000",
        "INSERT INTO app.t VALUES (5000, 'beyond'), (-1, 'before')");

    TableFindings found = pair.compare("t");

    assertThat(found.columns()).containsExactly("id", "v");
    assertThat(found.differences().stream().map(RowDifference::toString))
        .containsExactlyInAnyOrder(
            "RowDifference[key=(17), source=Optional[Image[values=[17, 17]]],"
                + " target=Optional[Image[values=[17, null]]]]",
            "RowDifference[key=(1000), source=Optional[Image[values=[1000, 1000]]],"
                + " target=Optional.empty]",
            "RowDifference[key=(5000), source=Optional.empty,"
                + " target=Optional[Image[values=[5000, beyond]]]]",
            "RowDifference[key=(-1), source=Optional.empty,"
                + " target=Optional[Image[values=[-1, before]]]]");
    assertThat(found.chunks()).filteredOn(chunk -> !chunk.isEqual()).allMatch(ChunkProof::resolved);
  }

  @Test
  void rowsBeyondTheSourcesLargestKeyAreFound() throws Exception {
    pair.onBoth(
        "CREATE TABLE app.t (id int PRIMARY KEY)",
        "INSERT INTO app.t SELECT generate_series(1, 2000)");
    pair.onTarget("INSERT INTO app.t VALUES (2001)");

    assertThat(pair.compare("t").differences())
        .singleElement()
        .matches(row -> row.kind() == Kind.EXTRA && row.key().equals(RowKey.of("2001")));
  }

  @Test
  void manyMoreRowsOnTheTargetThanInAChunkAreDividedAndFound() throws Exception {
    pair.onBoth(
        "CREATE TABLE app.t (id int PRIMARY KEY)", "INSERT INTO app.t VALUES (1), (100000)");
    pair.onTarget("INSERT INTO app.t SELECT generate_series(2, 9000)");

    TableFindings found = pair.compare("t");

    assertThat(found.differences()).hasSize(1999).allMatch(row -> row.kind() == Kind.EXTRA);
    assertThat(found.chunks()).hasSizeGreaterThan(8).anyMatch(chunk -> !chunk.resolved());
    Set<RowKey> keys = new HashSet<>();
    while (!found.rest().isEmpty()) {
      found.differences().forEach(row -> keys.add(row.key()));
      List<KeyRange> rest = found.rest().stream().map(KeyRange.class::cast).toList();
      found = pair.compare(new ComparisonPlan(table("t"), List.of("id"), rest, List.of()));
    }
    found.differences().forEach(row -> keys.add(row.key()));
    assertThat(keys).hasSize(8999);
  }

  /** Also where the target has many more rows in one block, and under a key of two columns. */
  @Test
  void differencesAllOverATableAreFoundInOneSession() throws Exception {
    pair.onBoth(
        "CREATE TABLE app.t (a int, b int, v text, PRIMARY KEY (b, a))",
        "INSERT INTO app.t SELECT i, i / 100, i::text FROM generate_series(1, 40000) i"
            + " WHERE i NOT BETWEEN 25001 AND 26000");
    pair.onTarget(
        "UPDATE app.t SET v = 'other' WHERE a % 970 = 7",
        "DELETE FROM app.t WHERE a % 1010 = 8",
        "INSERT INTO app.t SELECT -i, i / 100, '' FROM generate_series(1, 40000) i"
            + " WHERE i % 1310 = 9",
        "INSERT INTO app.t SELECT i, i / 100, '' FROM generate_series(25101, 25400) i");

    TableFindings found = pair.compare(ComparisonPlan.whole(table("t"), List.of("a", "b")));

    assertThat(found.end()).isEqualTo(End.DONE);
    assertThat(found.chunks()).allMatch(chunk -> chunk.isEqual() || chunk.resolved());
    assertThat(found.chunks().stream().mapToLong(chunk -> chunk.source().rows()).sum())
        .isEqualTo(39000);
    Set<String> expected = new HashSet<>();
    for (int i = 1; i <= 40000; i++) {
      boolean there = i < 25001 || i > 26000;
      if (there && i % 1010 == 8) {
        expected.add("MISSING " + i);
      } else if (there && i % 970 == 7) {
        expected.add("DIFFERENT " + i);
      }
      if (i % 1310 == 9) {
        expected.add("EXTRA " + -i);
      }
      if (i > 25100 && i <= 25400) {
        expected.add("EXTRA " + i);
      }
    }
    assertThat(
            found.differences().stream().map(row -> row.kind() + " " + row.key().values().get(0)))
        .containsExactlyInAnyOrderElementsOf(expected);
  }

  @Test
  void aSwapOfCellsBetweenRowsAndOfColumnsIsFound() throws Exception {
    pair.onBoth("CREATE TABLE app.t (id int PRIMARY KEY, a text, b text)");
    pair.onSource(
        "INSERT INTO app.t VALUES (1, 'x', 'y'), (2, 'z', 'w'), (3, 'a,', ''), (4, NULL, '')");
    pair.onTarget(
        "INSERT INTO app.t VALUES (1, 'z', 'y'), (2, 'x', 'w'), (3, 'a', ','), (4, '', NULL)");

    assertThat(pair.compare("t").differences()).hasSize(4);
  }

  @Test
  void lanesFindWhatOneConnectionFindsInChunksOverAllKeys() throws Exception {
    pair.onBoth(
        "CREATE TABLE app.t (id int PRIMARY KEY, v text)",
        "INSERT INTO app.t SELECT i, i::text FROM generate_series(1, 40000) i");
    pair.onTarget(
        "UPDATE app.t SET v = 'wrong' WHERE id % 4000 = 17",
        "DELETE FROM app.t WHERE id % 9000 = 5", "INSERT INTO app.t VALUES (50000, 'beyond')");
    SessionLimits lanes =
        new SessionLimits(Duration.ofSeconds(60), 1000, 100, 1000, 100_000, Duration.ofSeconds(10))
            .withLanes(3);

    TableFindings found =
        pair.session(lanes)
            .run(MovingPair.checkpoint(), List.of(ComparisonPlan.whole(table("t"), List.of("id"))))
            .tables()
            .get(0);

    assertThat(found.end()).isEqualTo(TableFindings.End.DONE);
    assertThat(found.rest()).isEmpty();
    assertThat(found.differences()).hasSize(10 + 5 + 1);
    List<KeyRange> bounds =
        found.chunks().stream().map(chunk -> (KeyRange) chunk.bounds()).toList();
    assertThat(bounds.get(0).after()).isEmpty();
    assertThat(bounds.get(bounds.size() - 1).upTo()).isEmpty();
    for (int i = 1; i < bounds.size(); i++) {
      assertThat(bounds.get(i).after()).isEqualTo(bounds.get(i - 1).upTo());
    }
    assertThat(found.chunks().stream().mapToLong(chunk -> chunk.source().rows()).sum())
        .isEqualTo(40_000);
  }

  @Test
  void rowsInTheirBinaryFormAreEqualAndEachChangedValueIsFound() throws Exception {
    pair.onBoth(
        "CREATE DOMAIN app.price AS numeric(12,2)",
        "CREATE TYPE app.mood AS ENUM ('well', 'ill')",
        "CREATE TABLE app.t (id int PRIMARY KEY, a bool, b int2, c int8, d oid, e numeric,"
            + " f app.price, g varchar(20), h char(4), i bytea, j uuid, k date, l time,"
            + " m timestamp, n timestamptz, o json, p jsonb, q float8, r int[], s app.mood)",
        "INSERT INTO app.t SELECT x, x % 2 = 0, x, x::int8 << 32, x, x * 1.10, x, 'v' || x, 'w',"
            + " int4send(x), lpad(x::text, 32, '0')::uuid, '2000-01-01'::date + x, '10:00'::time,"
            + " 'epoch'::timestamp + x * interval '1 s', 'infinity', '{\"a\":  1}', '{\"a\": 1}',"
            + " x / 7.0, ARRAY[x, NULL], 'well' FROM generate_series(1, 100) x");
    List<String> changes =
        List.of(
            "a = NOT a",
            "b = -b",
            "c = c - 4294967295",
            "d = NULL",
            "e = e * 1.0",
            "f = -f",
            "g = g || ' '",
            "h = 'W'",
            "i = i || '\\x00'",
            "j = NULL",
            "k = '-infinity'",
            "l = l + interval '1 us'",
            "m = m + interval '1 us'",
            "n = '-infinity'",
            "o = '{\"a\": 1}'",
            "p = '{\"a\": 1.0}'",
            "q = q * (1 + 1e-15)",
            "r = '{}'",
            "s = 'ill'");
    SessionFindings same =
        pair.session()
            .run(MovingPair.checkpoint(), List.of(ComparisonPlan.whole(table("t"), List.of("id"))));
    assertThat(same.proof().orElseThrow().hash().form()).isEqualTo(RowForm.BINARY);
    assertThat(same.tables().get(0).isProven()).isTrue();

    for (int i = 0; i < changes.size(); i++) {
      pair.onTarget("UPDATE app.t SET " + changes.get(i) + " WHERE id = " + (i + 11));
    }

    assertThat(pair.compare("t").differences().stream().map(row -> row.key().toString()))
        .containsExactlyInAnyOrderElementsOf(
            IntStream.range(0, changes.size()).mapToObj(i -> "(" + (i + 11) + ")").toList());
  }

  @Test
  void valuesThatOnlyLookAlikeAreDifferent() throws Exception {
    pair.onBoth(
        "CREATE TABLE app.t (id int PRIMARY KEY, f float8, t text, ts timestamptz, n numeric)",
        "INSERT INTO app.t VALUES (1, '-0', 'a', '2000-01-01 00:00+00', 1.0),"
            + " (2, 'NaN', 'é', '2000-01-01 00:00:00.000001+00', 'NaN'),"
            + " (3, 0.1, '', 'infinity', 1e-30), (4, 1, ' ', NULL, 1), (5, 0.1, 'b', NULL, 1)");
    pair.onTarget(
        "UPDATE app.t SET f = 0 WHERE id = 1",
        "UPDATE app.t SET t = 'e' || chr(769) WHERE id = 2",
        "UPDATE app.t SET t = NULL WHERE id = 3",
        "UPDATE app.t SET t = '' WHERE id = 4",
        "UPDATE app.t SET f = 0.10000000000000002 WHERE id = 5");

    assertThat(pair.compare("t").differences()).hasSize(5);
  }

  @Test
  void differentSettingsOfRolesAndDatabasesChangeNothing() throws Exception {
    pair.onBoth(
        "CREATE TABLE app.t (id int PRIMARY KEY, f float8, ts timestamptz, i interval, b bytea,"
            + " m money, c char(7), x xml, r int4range, a text[], j jsonb)",
        "INSERT INTO app.t SELECT i, i / 7.0, '2001-02-03 04:05:06.789+00',"
            + " '1 mon -3 days 04:05:06', '\\x00ff', 7.5, 'ab', '<a/>', '[1,5)', '{a,NULL,\"\"}',"
            + " '{\"k\": 1.50}' FROM generate_series(1, 100) i");
    String database = pair.onSourceGet("SELECT current_database()");
    pair.onSource(
        "ALTER DATABASE " + database + " SET timezone = 'Asia/Tokyo'",
        "ALTER DATABASE " + database + " SET datestyle = 'German'",
        "ALTER DATABASE " + database + " SET intervalstyle = 'iso_8601'",
        "ALTER DATABASE " + database + " SET bytea_output = 'escape'",
        "ALTER DATABASE " + database + " SET extra_float_digits = -5",
        "ALTER DATABASE " + database + " SET xmloption = 'document'",
        "ALTER DATABASE " + database + " SET search_path = app");

    assertThat(pair.compare("t").isProven()).isTrue();
  }

  @Test
  void aTableWithoutAKeyIsComparedWithItsDuplicates() throws Exception {
    pair.onBoth("CREATE TABLE app.t (a int, b text)");
    pair.onSource("INSERT INTO app.t VALUES (1, 'x'), (1, 'x'), (NULL, 'y'), (NULL, NULL)");
    pair.onTarget("INSERT INTO app.t VALUES (NULL, NULL), (1, 'x'), (NULL, 'y'), (2, 'x')");

    TableFindings found = pair.compare(ComparisonPlan.whole(table("t"), List.of()));

    assertThat(found.why()).isEmpty();
    assertThat(found.differences().stream().map(RowDifference::toString))
        .containsExactly(
            "RowDifference[key=(), source=Optional[Image[values=[1, x]]], target=Optional.empty]",
            "RowDifference[key=(), source=Optional.empty, target=Optional[Image[values=[2, x]]]]");
  }

  @Test
  void keysOfOtherOrdersAreComparedByBuckets() throws Exception {
    String create = "CREATE TABLE app.t (id text COLLATE \"%s\" PRIMARY KEY, v int)";
    pair.onSource(create.formatted("en-x-icu"));
    pair.onTarget(create.formatted("C"));
    pair.onBoth(
        "INSERT INTO app.t SELECT CASE WHEN i % 2 = 0 THEN 'k' ELSE 'K' END || i, i"
            + " FROM generate_series(1, 2000) i",
        "INSERT INTO app.t VALUES ('', 0), ('é', 0), (E'a\\tb', 0), ('😀', 0), ('￿', 0)");

    TableFindings equal = pair.compare("t");
    assertThat(equal.isProven()).isTrue();
    assertThat(equal.chunks()).allMatch(chunk -> chunk.bounds() instanceof KeyBuckets);

    pair.onTarget("DELETE FROM app.t WHERE id = 'k10'", "INSERT INTO app.t VALUES ('zz', 1)");
    assertThat(pair.compare("t").differences().stream().map(row -> row.kind() + " " + row.key()))
        .containsExactlyInAnyOrder("MISSING (k10)", "EXTRA (zz)");
  }

  @Test
  void keysOfTheSameOrderAreComparedByRangesWithTheSameCollation() throws Exception {
    pair.onBoth(
        "CREATE TABLE app.t (id text COLLATE \"C\", n numeric, PRIMARY KEY (n, id))",
        "INSERT INTO app.t SELECT chr(i), i % 7 FROM generate_series(1, 3000) i");

    TableFindings found = pair.compare(ComparisonPlan.whole(table("t"), List.of("id", "n")));

    assertThat(found.isProven()).isTrue();
    assertThat(found.chunks()).hasSize(4).allMatch(chunk -> chunk.bounds() instanceof KeyRange);
  }

  @Test
  void touchedKeysAreLookedUp() throws Exception {
    pair.onBoth(
        "CREATE TABLE app.t (id int PRIMARY KEY, v text)",
        "INSERT INTO app.t SELECT i, 'v' FROM generate_series(1, 100) i");
    pair.onTarget("UPDATE app.t SET v = 'w' WHERE id = 3", "DELETE FROM app.t WHERE id = 4");

    TableFindings found =
        pair.compare(
            ComparisonPlan.touched(
                table("t"),
                List.of("id"),
                List.of(RowKey.of("1"), RowKey.of("3"), RowKey.of("4"), RowKey.of("1000"))));

    assertThat(found.equalKeys()).containsExactly(RowKey.of("1"), RowKey.of("1000"));
    assertThat(found.differences().stream().map(row -> row.kind() + " " + row.key()))
        .containsExactly("DIFFERENT (3)", "MISSING (4)");
    assertThat(found.chunks()).isEmpty();
  }

  @Test
  void manyTouchedKeysAreLookedUpOverSeveralSessions() throws Exception {
    pair.onBoth(
        "CREATE TABLE app.t (id int PRIMARY KEY, v text)",
        "INSERT INTO app.t SELECT i, 'v' FROM generate_series(1, 60000) i",
        "ANALYZE app.t");
    pair.onTarget("UPDATE app.t SET v = 'w' WHERE id = 59999");
    List<RowKey> keys = IntStream.rangeClosed(1, 60000).mapToObj(i -> RowKey.of("" + i)).toList();
    SessionLimits limits =
        new SessionLimits(
            Duration.ofMillis(500), 1000, 100_000, 1000, 100_000, Duration.ofMillis(300));
    boolean found = false;
    while (!keys.isEmpty()) {
      SessionFindings findings =
          pair.session(limits)
              .run(
                  MovingPair.checkpoint(),
                  List.of(ComparisonPlan.touched(table("t"), List.of("id"), keys)));
      if (!findings.tables().isEmpty()) {
        TableFindings table = findings.tables().get(0);
        Set<RowKey> done = new HashSet<>(table.equalKeys());
        table.differences().forEach(row -> done.add(row.key()));
        found |= !table.differences().isEmpty();
        keys = keys.stream().filter(key -> !done.contains(key)).toList();
        assertThat(table.end()).isEqualTo(keys.isEmpty() ? End.DONE : End.OUT_OF_TIME);
      }
    }
    assertThat(found).isTrue();
  }

  @Test
  void aSessionWhoseTimeIsOverBeforeItReadsAnythingFindsNothing() throws Exception {
    pair.onBoth("CREATE TABLE app.t (id int PRIMARY KEY, v text)");
    SessionFindings findings =
        pair.session(
                new SessionLimits(
                    Duration.ofMillis(1), 1000, 100, 1000, 100_000, Duration.ofSeconds(10)))
            .run(MovingPair.checkpoint(), List.of(ComparisonPlan.whole(table("t"), List.of("id"))));
    assertThat(findings.obstacle().map(SessionFindings.Obstacle::kind))
        .contains(SessionFindings.Obstacle.Kind.NOT_READABLE);
    assertThat(findings.tables()).isEmpty();
  }

  @Test
  void aTableThatTheTargetLacksIsNamed() throws Exception {
    pair.onSource("CREATE TABLE app.t (id int PRIMARY KEY)");

    TableFindings found = pair.compare("t");

    assertThat(found.end()).isEqualTo(End.REFUSED);
    assertThat(found.why()).hasValue("target table app.t: is not there");
  }

  /** No comparison with NULL is true, so no range of keys has such a row. */
  @ParameterizedTest
  @ValueSource(strings = {"(1, NULL)", "(NULL, 1)"})
  void aTableOfTheTargetWithARowWithoutAKeyIsNotProven(String key) throws Exception {
    pair.onSource("CREATE TABLE app.t (a int, b int, PRIMARY KEY (a, b))");
    pair.onTarget("CREATE TABLE app.t (a int, b int, UNIQUE (a, b))");
    pair.onBoth("INSERT INTO app.t SELECT i, i FROM generate_series(1, 2000) i");
    ComparisonPlan plan = ComparisonPlan.whole(table("t"), List.of("a", "b"));
    assertThat(pair.compare(plan).isProven()).isTrue();

    pair.onTarget("INSERT INTO app.t VALUES " + key);

    TableFindings found = pair.compare(plan);
    assertThat(found.isProven()).isFalse();
    assertThat(found.why())
        .hasValueSatisfying(why -> assertThat(why).contains("a row has NULL in its key"));
  }

  @Test
  void anIndexOfAnOlderCollationIsNotTrusted() throws Exception {
    pair.onBoth(
        "CREATE COLLATION app.old (provider = icu, locale = 'en')",
        "CREATE TABLE app.t (id text COLLATE app.old PRIMARY KEY, v int)",
        "INSERT INTO app.t SELECT 'k' || i, i FROM generate_series(1, 1500) i");
    pair.onTarget(
        "UPDATE pg_collation SET collversion = '1' WHERE collname = 'old'",
        "UPDATE app.t SET v = 0 WHERE id = 'k7'");

    TableFindings found = pair.compare("t");

    assertThat(found.notes())
        .singleElement()
        .asString()
        .contains("table app.t of the target")
        .contains("REINDEX");
    assertThat(found.chunks()).allMatch(chunk -> chunk.bounds() instanceof KeyBuckets);
    assertThat(found.differences()).hasSize(1);
  }

  @Test
  void eachSessionHasSeedsOfItsOwn() throws Exception {
    pair.onBoth("CREATE TABLE app.t (id int PRIMARY KEY)");
    List<ComparisonPlan> plan = List.of(ComparisonPlan.whole(table("t"), List.of("id")));

    SessionFindings one = pair.session().run(MovingPair.checkpoint(), plan);
    SessionFindings two = pair.session().run(MovingPair.checkpoint(), plan);

    assertThat(one.proof().get().hash().seeds()).isNotEqualTo(two.proof().get().hash().seeds());
    assertThat(one.proof().get().target()).isGreaterThanOrEqualTo(one.proof().get().source());
  }

  @Test
  void aFullSessionLeavesTheRestToTheNextOne() throws Exception {
    pair.onBoth(
        "CREATE TABLE app.t (id int PRIMARY KEY, v text)",
        "INSERT INTO app.t SELECT i, repeat('x', 100) FROM generate_series(1, 200000) i");
    pair.onTarget("UPDATE app.t SET v = '' WHERE id IN (3, 199999)");
    // Too short for the whole table on any machine; longer where it was too short for anything.
    Duration life = Duration.ofMillis(10);
    List<KeyRange> rest = List.of(KeyRange.ALL);
    long rows = 0;
    Set<String> found = new HashSet<>();
    int parts = 0;
    while (!rest.isEmpty()) {
      SessionLimits limits =
          new SessionLimits(life, 2000, 100, 1000, 100_000, Duration.ofMillis(200));
      SessionFindings findings =
          pair.session(limits)
              .run(
                  MovingPair.checkpoint(),
                  List.of(new ComparisonPlan(table("t"), List.of("id"), rest, List.of())));
      if (findings.tables().isEmpty() || findings.tables().get(0).chunks().isEmpty()) {
        assertThat(life).isLessThan(Duration.ofMinutes(5));
        life = life.multipliedBy(3).dividedBy(2);
        continue;
      }
      parts++;
      TableFindings part = findings.tables().get(0);
      assertThat(part.end()).as(part.why().orElse("")).isNotEqualTo(End.REFUSED);
      rest = part.rest().stream().map(KeyRange.class::cast).toList();
      assertThat(part.chunks().stream().map(DifferencesTest::after)).isSorted();
      for (ChunkProof chunk : part.chunks()) {
        rows += chunk.isEqual() || chunk.resolved() ? chunk.source().rows() : 0;
      }
      part.differences().forEach(row -> found.add(row.key().toString()));
    }

    assertThat(found).containsExactlyInAnyOrder("(3)", "(199999)");
    assertThat(rows).isEqualTo(200000);
    assertThat(parts).isGreaterThan(1);
  }
}
