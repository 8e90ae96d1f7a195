package dev.sluice.connector.mariadb.comparison;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.sluice.config.mappings.RowFilter;
import dev.sluice.config.mappings.RowFilter.ColumnFilter;
import dev.sluice.config.mappings.RowFilter.Condition;
import dev.sluice.config.mappings.RowFilter.Operator;
import dev.sluice.config.task.Secret;
import dev.sluice.connector.api.comparison.ComparedRows;
import dev.sluice.connector.api.comparison.ComparedValue;
import dev.sluice.connector.api.comparison.FoundRow;
import dev.sluice.connector.api.comparison.HashParts;
import dev.sluice.connector.api.comparison.HashedRow;
import dev.sluice.connector.api.comparison.KeyBuckets;
import dev.sluice.connector.api.comparison.KeyRange;
import dev.sluice.connector.api.comparison.NotReadable;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.connector.api.comparison.SideForm;
import dev.sluice.connector.api.comparison.SideView.Lookup;
import dev.sluice.connector.api.comparison.SourceView;
import dev.sluice.connector.api.comparison.TargetView;
import dev.sluice.connector.api.comparison.WholeTable;
import dev.sluice.connector.api.source.VisibleTransactions;
import dev.sluice.connector.mariadb.Servers;
import dev.sluice.connector.mariadb.capture.CapturedServer;
import dev.sluice.connector.mariadb.server.MariadbServer;
import dev.sluice.connector.mariadb.server.ValuePolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a view of MariaDB prints and sums is what the target's view does of the same rows. */
@Timeout(300)
class MariadbViewTest {
  private static final String ALL_TYPES =
      """
      CREATE TABLE v (id int PRIMARY KEY, big bigint unsigned, z int(6) zerofill,
        d decimal(10,2), f float, g double, b bit(5), da date, ti time(3), dt datetime(6),
        ts timestamp(3) NULL, y year, e enum('one','two'), s set('a','b'), c varchar(40),
        l varchar(20) CHARACTER SET latin1, bi binary(4), bl blob, j json, u uuid, i4 inet4,
        i6 inet6, p point, ch char(5), m mediumtext)
      """;

  private static final String[] VALUES = {
    """
    (1, 18446744073709551615, 42, -1.50, 0.1, 1e300, b'00101', '2024-02-29', '-838:59:59',
      '2024-01-02 03:04:05.120000', '2024-01-02 03:04:05.5', 2024, 'two', 'a,b',
      'a\\tb\\nc\\\\d "(,)', 'ä', x'01020000', x'ff00', '{"a": 1}',
      '123e4567-e89b-12d3-a456-426655440000', '10.0.0.1', '::ffff:10.0.0.1', POINT(1, 2.5),
      'a  ', repeat('ä', 9000))
    """,
    "(2" + ", NULL".repeat(24) + ")",
    """
    (3, 0, 0, 0, 1e-7, -0.0, b'0', '0001-01-01', '00:00:00', '9999-12-31 23:59:59', NULL, 0, 'one',
      '', '', '', x'00000000', '', '[]', '00000000-0000-0000-0000-000000000000', '0.0.0.0', '::1',
      POINT(0, 0), '', '')
    """,
    """
    (4, 1, 1, 12345678.90, 1234567, 123456789012345680, b'11111', '2000-01-01', '12:34:56.789',
      '1000-01-01 00:00:00.000001', '2001-09-09 01:46:40', 1901, 'one', 'b', ' x', ' ', x'ffffffff',
      x'5c5c22', '"x"', 'ffffffff-ffff-ffff-ffff-ffffffffffff', '255.255.255.255',
      '2001:db8::1:0:0:1', NULL, '\\'', 'x')
    """
  };

  private static TwoSides allTypes() throws Exception {
    String types =
        Servers.areMysql()
            ? ALL_TYPES.replaceAll(" (uuid|inet4|inet6)", " varchar(45)")
            : ALL_TYPES;
    TwoSides sides = new TwoSides("SET time_zone = '+00:00'", types);
    for (String values : VALUES) {
      sides.source.execute("INSERT INTO v VALUES " + values);
    }
    sides.load("v");
    return sides;
  }

  @Test
  void valuesThatPostgresDoesNotHaveAreComparedAsTheTaskFileReplacesThem() throws Exception {
    ValuePolicy replaced =
        new ValuePolicy(ValuePolicy.ImpossibleDate.NULL, ValuePolicy.ZeroCharacter.REMOVE);
    try (TwoSides sides =
        new TwoSides(
            replaced,
            "SET sql_mode = 'ALLOW_INVALID_DATES'",
            "CREATE TABLE v (id int PRIMARY KEY, d date, dt datetime(3), ts timestamp NULL, t text)",
            "INSERT INTO v VALUES (1, '0000-00-00', '2026-02-31', '0000-00-00', 'a\\0b'),"
                + " (2, '2020-00-15', '2020-01-00', '2020-01-01', '\\0')")) {
      sides.load("v");
      try (SourceView source = sides.ofSource();
          TargetView target = sides.ofTarget()) {
        assertThat(source.sums(sides.rows(source, "v"), KeyRange.ALL, TwoSides.HASH, 10))
            .isEqualTo(target.sums(sides.rows(target, "v"), KeyRange.ALL, TwoSides.HASH, 10));
      }
    }
  }

  @Test
  void valuesOfAllTypesAreThoseThatTheTargetPrints() throws Exception {
    try (TwoSides sides = allTypes();
        SourceView source = sides.ofSource();
        TargetView target = sides.ofTarget()) {
      List<RowKey> keys = List.of(RowKey.of("1"), RowKey.of("2"), RowKey.of("3"), RowKey.of("4"));
      assertThat(source.read(sides.rows(source, "v"), keys, Lookup.BY_INDEX))
          .containsExactlyInAnyOrderElementsOf(
              target.read(sides.rows(target, "v"), keys, Lookup.BY_INDEX));
    }
  }

  @Test
  void printsASampleAsTheTargetDoes() throws Exception {
    try (TwoSides sides = new TwoSides();
        SourceView source = sides.ofSource();
        TargetView target = sides.ofTarget()) {
      SideForm here = source.form(TwoSides.HASH.seeds());
      SideForm there = target.form(TwoSides.HASH.seeds());
      assertThat(here.printed()).isEqualTo(there.printed());
      assertThat(here.hashed()).isNotEqualTo(there.hashed());
    }
  }

  @Test
  void rowsOfAllTypesHaveTheHashesOfTheTarget() throws Exception {
    try (TwoSides sides = allTypes();
        SourceView source = sides.ofSource();
        TargetView target = sides.ofTarget()) {
      ComparedRows here = sides.rows(source, "v");
      ComparedRows there = sides.rows(target, "v");
      assertThat(source.hashes(here, WholeTable.INSTANCE, TwoSides.HASH, HashParts.all(), 100))
          .hasSize(4)
          .containsExactlyInAnyOrderElementsOf(
              target.hashes(there, WholeTable.INSTANCE, TwoSides.HASH, HashParts.all(), 100));
      assertThat(source.sums(here, WholeTable.INSTANCE, TwoSides.HASH, 1000))
          .isEqualTo(target.sums(there, WholeTable.INSTANCE, TwoSides.HASH, 1000));
      assertThat(source.sums(here, KeyBuckets.all(4), TwoSides.HASH))
          .isEqualTo(target.sums(there, KeyBuckets.all(4), TwoSides.HASH));
      assertThat(source.sumsByHash(here, WholeTable.INSTANCE, TwoSides.HASH, 8))
          .isEqualTo(target.sumsByHash(there, WholeTable.INSTANCE, TwoSides.HASH, 8));
      sides.onTarget("UPDATE %s.v SET c = 'a' WHERE id = 3".formatted(sides.source.name));
      target.takeSnapshot();
      assertThat(source.sums(here, WholeTable.INSTANCE, TwoSides.HASH, 1000))
          .isNotEqualTo(
              target.sums(sides.rows(target, "v"), WholeTable.INSTANCE, TwoSides.HASH, 1000));
    }
  }

  @Test
  void rangesOfAKeyOfTwoColumnsAreTheSameRows() throws Exception {
    try (TwoSides sides =
        new TwoSides(
            "CREATE TABLE k (a int, b date, t varchar(9), PRIMARY KEY (a, b))",
            "INSERT INTO k SELECT seq MOD 7, '2024-01-01' + INTERVAL seq DAY, seq FROM "
                + Servers.numbers(500))) {
      sides.load("k");
      try (SourceView source = sides.ofSource();
          TargetView target = sides.ofTarget()) {
        ComparedRows here = sides.rows(source, "k");
        ComparedRows there = sides.rows(target, "k");
        Optional<RowKey> end = source.endOfChunk(here, KeyRange.ALL, 200);
        assertThat(end).isEqualTo(target.endOfChunk(there, KeyRange.ALL, 200)).isPresent();
        KeyRange rest = KeyRange.from(end);
        List<RowKey> ends = source.endsOfBlocks(here, rest, 200, 30);
        assertThat(ends).isEqualTo(target.endsOfBlocks(there, rest, 200, 30)).hasSize(7);
        List<KeyRange> blocks = new ArrayList<>();
        Optional<RowKey> after = end;
        for (RowKey of : ends) {
          blocks.add(new KeyRange(after, Optional.of(of)));
          after = Optional.of(of);
        }
        RowKey last = ends.get(2);
        assertThat(source.sumsOfBlocks(here.leavingOut(List.of(last)), blocks, TwoSides.HASH, 1000))
            .isEqualTo(
                target.sumsOfBlocks(there.leavingOut(List.of(last)), blocks, TwoSides.HASH, 1000));
        blocks.remove(3);
        assertThat(source.hashesOfBlocks(here, blocks, TwoSides.HASH, 1000))
            .hasSize(170)
            .containsExactlyInAnyOrderElementsOf(
                target.hashesOfBlocks(there, blocks, TwoSides.HASH, 1000));
        KeyRange all = KeyRange.ALL;
        assertThat(source.sums(here, all, TwoSides.HASH, 499).rows()).isEqualTo(500);
        assertThat(source.sums(here, all, TwoSides.HASH, 100).rows()).isEqualTo(101);
        assertThatThrownBy(() -> source.hashes(here, all, TwoSides.HASH, HashParts.all(), 499))
            .isInstanceOf(NotReadable.class);
      }
    }
  }

  @Test
  void eachKeyIsFoundByItsOwnText() throws Exception {
    for (String[] kind :
        new String[][] {
          {"bigint unsigned", "18446744073709551615", "0"},
          {"decimal(10,3)", "-1.5", "0"},
          {"float", "0.1", "1e-7", "16777217", "-3.4e38"},
          {"float(7,2)", "0.1", "1234.56"},
          {"double", "0.1", "1e-300", "123456789012345680"},
          {"double(12,3) unsigned", "1.82", "0.001"},
          {"bit(13)", "b'101'", "0"},
          {"date", "'2024-02-29'"},
          {"time(3)", "'-12:34:56.789'", "'838:59:59'"},
          {"datetime(6)", "'2024-02-29 01:02:03.000001'"},
          {"varchar(20) CHARACTER SET latin1", "'ä '", "'A'"},
          {"binary(4)", "x'01000000'", "x'00'"},
          {"varbinary(9)", "x''", "x'0100'"},
          {"enum('1','b')", "'1'", "'b'"},
          {"uuid", "'123e4567-e89b-12d3-a456-426655440000'"},
          {"inet6", "'::ffff:10.0.0.1'", "'2001:db8::1'"}
        }) {
      if (isMissing(kind[0])) {
        continue;
      }
      try (TwoSides sides =
          new TwoSides("CREATE TABLE k (k %s, n int, PRIMARY KEY (k, n))".formatted(kind[0]))) {
        for (int i = 1; i < kind.length; i++) {
          sides.source.execute("INSERT INTO k VALUES (%s, %d)".formatted(kind[i], i));
        }
        try (SourceView source = sides.ofSource()) {
          ComparedRows rows = sides.rows(source, "k");
          List<RowKey> keys =
              source.hashes(rows, WholeTable.INSTANCE, TwoSides.HASH, HashParts.all(), 100).stream()
                  .map(HashedRow::key)
                  .toList();
          assertThat(keys).hasSize(kind.length - 1);
          for (Lookup how : Lookup.values()) {
            assertThat(source.find(rows, keys, TwoSides.HASH, how))
                .as("%s, %s: %s", kind[0], how, keys)
                .hasSize(keys.size())
                .allMatch(found -> found.row().key().equals(keys.get(found.number())));
          }
        }
      }
    }
  }

  /** MySQL lacks two types of MariaDB. */
  private static boolean isMissing(String type) {
    return Servers.areMysql() && List.of("uuid", "inet6").contains(type);
  }

  @Test
  void aKeyThatTheColumnCannotHaveIsNotFound() throws Exception {
    for (String[] kind :
        new String[][] {
          {"varchar(20) CHARACTER SET latin1", "'?'", "Ж"},
          {"char(20) CHARACTER SET latin1 COLLATE latin1_bin", "'?'", "Ж"},
          {"varchar(20) CHARACTER SET utf8mb3", "'?'", "😀"},
          {"enum('?','b') CHARACTER SET latin1", "'?'", "Ж"},
          {"enum('?','b') CHARACTER SET latin1", "'?'", "c"},
          {"decimal(10,2)", "0", "NaN"},
          {"float", "0", "NaN"},
          {"double", "0", "Infinity"},
          {"date", "'2024-02-29'", "infinity"},
          {"datetime(6)", "'2024-02-29 01:02:03.000001'", "0044-03-15 00:00:00 BC"},
          {"time(3)", "'00:00:00'", "x"},
          {"bit(3)", "b'101'", "1011"},
          {"inet6", "'::ffff:10.0.0.1'", "10.0.0.0/8"},
          {"uuid", "'123e4567-e89b-12d3-a456-426655440000'", "x"}
        }) {
      if (isMissing(kind[0])) {
        continue;
      }
      try (TwoSides sides =
          new TwoSides(
              "CREATE TABLE k (k %s PRIMARY KEY)".formatted(kind[0]),
              "INSERT INTO k VALUES (%s)".formatted(kind[1]))) {
        try (SourceView source = sides.ofSource()) {
          ComparedRows rows = sides.rows(source, "k");
          for (Lookup how : Lookup.values()) {
            assertThat(source.find(rows, List.of(RowKey.of(kind[2])), TwoSides.HASH, how))
                .as("%s of %s, %s", kind[2], kind[0], how)
                .isEmpty();
          }
        }
      }
    }
  }

  @Test
  void aKeyThatIsABooleanOnTheTargetIsRefused() throws Exception {
    try (TwoSides sides = new TwoSides("CREATE TABLE b (id tinyint PRIMARY KEY)")) {
      try (SourceView source = sides.ofSource()) {
        ComparedRows rows = sides.rows(source, "b");
        ComparedValue asBoolean =
            new ComparedValue("id", rows.key().get(0).cut(), Optional.of("boolean"), false);
        ComparedRows otherwise =
            new ComparedRows(
                rows.table(),
                false,
                List.of(asBoolean),
                rows.keyOrder(),
                List.of(asBoolean),
                Optional.empty(),
                List.of());
        assertThatThrownBy(() -> source.sums(otherwise, WholeTable.INSTANCE, TwoSides.HASH, 10))
            .isInstanceOfSatisfying(
                NotReadable.class,
                e -> assertThat(e.reason()).isEqualTo(NotReadable.Reason.REFUSED));
      }
    }
  }

  @Test
  void aReadThatFailsGivesItsLockUp() throws Exception {
    try (TwoSides sides =
            new TwoSides(
                "CREATE TABLE a (id int PRIMARY KEY)",
                "INSERT INTO a SELECT seq FROM " + Servers.numbers(1000));
        SourceView source = sides.ofSource()) {
      ComparedRows rows = sides.rows(source, "a");
      assertThatThrownBy(
              () -> source.hashes(rows, WholeTable.INSTANCE, TwoSides.HASH, HashParts.all(), 10))
          .isInstanceOf(NotReadable.class);
      sides.source.execute("SET lock_wait_timeout = 60", "ALTER TABLE a ADD COLUMN x int");
    }
  }

  @Test
  void keysThatTheServerTakesForEqualAreToldApart() throws Exception {
    try (TwoSides sides =
        new TwoSides(
            "CREATE TABLE n (name varchar(9) PRIMARY KEY, v int)",
            "INSERT INTO n VALUES ('Ab', 1), ('c', 2)")) {
      try (SourceView source = sides.ofSource()) {
        ComparedRows rows = sides.rows(source, "n");
        List<RowKey> keys = List.of(RowKey.of("ab"), RowKey.of("Ab"), RowKey.of("C"));
        for (Lookup how : Lookup.values()) {
          assertThat(source.read(rows, keys, how))
              .containsExactly(new FoundRow(1, RowKey.of("Ab"), List.of("Ab", "1")));
          assertThat(source.find(rows, keys, TwoSides.HASH, how))
              .hasSize(1)
              .allMatch(found -> found.number() == 1);
        }
        assertThat(
                source.hashes(
                    rows.leavingOut(List.of(RowKey.of("ab"), RowKey.of("c"))),
                    WholeTable.INSTANCE,
                    TwoSides.HASH,
                    HashParts.all(),
                    10))
            .extracting(HashedRow::key)
            .containsExactly(RowKey.of("Ab"));
      }
    }
  }

  @Test
  void showsNothingThatWasCommittedAfterItsPosition() throws Exception {
    try (TwoSides sides = new TwoSides("CREATE TABLE a (id int PRIMARY KEY)")) {
      sides.source.execute("INSERT INTO a VALUES (1)");
      long before = sides.source.source().log().takeTransactionId().orElseThrow();
      try (SourceView source = sides.ofSource()) {
        sides.source.execute("INSERT INTO a VALUES (2)");
        long after = sides.source.source().log().takeTransactionId().orElseThrow();
        VisibleTransactions visible = VisibleTransactions.parse(source.visibleTransactions());
        assertThat(visible.shows(before - 1)).isTrue();
        assertThat(visible.shows(after - 1)).isFalse();
        assertThat(
                source.sums(sides.rows(source, "a"), WholeTable.INSTANCE, TwoSides.HASH, 10).rows())
            .isEqualTo(1);
      }
    }
  }

  @Test
  void aTableThatChangedAfterTheSnapshotIsNotRead() throws Exception {
    for (String change :
        List.of(
            "TRUNCATE TABLE a",
            "RENAME TABLE a TO c, b TO a",
            "ALTER TABLE a ADD COLUMN x int DEFAULT 1",
            "ALTER TABLE a RENAME COLUMN v TO w",
            "ALTER TABLE a MODIFY v varchar(300)",
            "ALTER TABLE a FORCE")) {
      try (TwoSides sides =
          new TwoSides(
              "CREATE TABLE a (id int PRIMARY KEY, v varchar(20))",
              "CREATE TABLE b (id int PRIMARY KEY, v varchar(20))",
              "INSERT INTO a VALUES (1, 'x')")) {
        try (SourceView source = sides.ofSource()) {
          sides.source.execute(change);
          assertThatThrownBy(
                  () ->
                      source.sums(sides.rows(source, "a"), WholeTable.INSTANCE, TwoSides.HASH, 10))
              .as(change)
              .isInstanceOfSatisfying(
                  NotReadable.class,
                  e -> assertThat(e.reason()).isEqualTo(NotReadable.Reason.CHANGED));
        }
        try (SourceView source = sides.ofSource()) {
          source.sums(sides.rows(source, "a"), WholeTable.INSTANCE, TwoSides.HASH, 10);
        }
      }
    }
  }

  /** The capture suspends that table, and the others go on. */
  @Test
  void aFilterThatAnAlteredColumnDoesNotTakeKeepsItsTableAloneFromBeingRead() throws Exception {
    RowFilter tens =
        new RowFilter(
            "1",
            List.of(new ColumnFilter("v", List.of(new Condition(Operator.GTE, List.of("10"))))));
    try (TwoSides sides =
        new TwoSides(
            "CREATE TABLE a (id int PRIMARY KEY, v int)",
            "CREATE TABLE b (id int PRIMARY KEY, w int)",
            "CREATE TABLE c (id int PRIMARY KEY, v double)",
            "INSERT INTO a VALUES (1, 5), (2, 20)")) {
      try (SourceView source = sides.ofSource()) {
        ComparedRows rows = sides.rows(source, "a");
        for (String altered : List.of("b", "c")) {
          sides.rows(source, altered);
          assertThatThrownBy(() -> source.condition(sides.source.table(altered), tens))
              .as(altered)
              .isInstanceOfSatisfying(
                  NotReadable.class,
                  e -> assertThat(e.reason()).isEqualTo(NotReadable.Reason.REFUSED))
              .hasMessageContaining("column v");
        }
        assertThat(source.condition(sides.source.table("a"), tens)).contains(">= 10");
        assertThat(source.sums(rows, WholeTable.INSTANCE, TwoSides.HASH, 10).rows()).isEqualTo(2);
      }
    }
  }

  @Test
  void aStatementThatAltersATableDoesNotWaitForTheComparison() throws Exception {
    try (TwoSides sides =
            new TwoSides(
                "CREATE TABLE a (id int PRIMARY KEY)",
                "INSERT INTO a SELECT seq FROM " + Servers.numbers(1000));
        Connection other = sides.source.connect();
        Statement altering = other.createStatement();
        SourceView source = sides.ofSource()) {
      ComparedRows rows = sides.rows(source, "a");
      source.sums(rows, WholeTable.INSTANCE, TwoSides.HASH, 10_000);
      // The lock of what was read is given up.
      altering.execute("SET lock_wait_timeout = 60");
      altering.execute("ALTER TABLE a ADD COLUMN x int");
      assertThatThrownBy(() -> source.sums(rows, WholeTable.INSTANCE, TwoSides.HASH, 10_000))
          .isInstanceOf(NotReadable.class);
    }
  }

  @Test
  void aReadThatMakesOthersWaitIsEnded() throws Exception {
    try (TwoSides sides =
            new TwoSides(
                "CREATE TABLE a (id int PRIMARY KEY, v int)",
                "INSERT INTO a SELECT seq, seq FROM " + Servers.numbers(1000));
        Connection other = sides.source.connect()) {
      SnapshotSession session =
          SnapshotSession.open(
              sides.source.sessions(), new CapturedServer(), Duration.ofMinutes(2));
      CompletableFuture<Void> altered = new CompletableFuture<>();
      assertThatThrownBy(
              () ->
                  session
                      .snapshot()
                      .read(
                          sides.source.table("a"),
                          connection -> {
                            try (Statement statement = connection.createStatement()) {
                              String table = sides.source.table("a").quoted();
                              statement.executeQuery("SELECT * FROM " + table + " LIMIT 1").close();
                              new Thread(() -> alter(other, altered)).start();
                              return statement.executeQuery("SELECT sleep(100)");
                            }
                          }))
          .isInstanceOfSatisfying(
              NotReadable.class,
              e -> assertThat(e.reason()).as(e.getMessage()).isEqualTo(NotReadable.Reason.BLOCKED));
      altered.get();
      session.snapshot().close();
    }
  }

  @Test
  void aSnapshotThatCannotGiveItsLocksUpEndsForThoseWhoWait() throws Exception {
    assumeFalse(Servers.areMysql(), "MySQL lets every session give them up");
    try (TwoSides sides =
            new TwoSides("CREATE TABLE a (id int PRIMARY KEY)", "INSERT INTO a VALUES (1)");
        Connection other = sides.source.connect()) {
      sides.source.execute(
          "CREATE USER viewer@'%' IDENTIFIED BY 'x'",
          "GRANT SELECT ON %s.* TO viewer@'%%'".formatted(sides.source.name),
          "GRANT PROCESS, REPLICATION SLAVE, BINLOG MONITOR ON *.* TO viewer@'%'");
      MariadbServer server =
          new MariadbServer(sides.source.config("viewer", Secret.of("x")).endpoint(), "test");
      try (SourceView source =
          new MariadbComparison(server, new CapturedServer(), ValuePolicy.REFUSE)
              .open(TwoSides.LIFE)) {
        ComparedRows rows = sides.rows(source, "a");
        source.sums(rows, WholeTable.INSTANCE, TwoSides.HASH, 10);
        CompletableFuture<Void> altered = new CompletableFuture<>();
        alter(other, altered);
        altered.get();
        assertThatThrownBy(() -> source.sums(rows, WholeTable.INSTANCE, TwoSides.HASH, 10))
            .isInstanceOfSatisfying(
                NotReadable.class,
                e -> assertThat(e.reason()).isEqualTo(NotReadable.Reason.BLOCKED));
      } finally {
        sides.source.execute("DROP USER viewer@'%'");
      }
    }
  }

  private static void alter(Connection connection, CompletableFuture<Void> altered) {
    try (Statement statement = connection.createStatement()) {
      statement.execute("SET lock_wait_timeout = 60");
      statement.execute("ALTER TABLE a ADD COLUMN x int");
      altered.complete(null);
    } catch (SQLException e) {
      altered.completeExceptionally(e);
    }
  }

  @Test
  void aTableThatOthersHaveLockedIsNotWaitedFor() throws Exception {
    try (TwoSides sides =
            new TwoSides("CREATE TABLE a (id int PRIMARY KEY)", "INSERT INTO a VALUES (1)");
        Connection other = sides.source.connect();
        Statement locking = other.createStatement();
        SourceView source = sides.ofSource()) {
      ComparedRows rows = sides.rows(source, "a");
      locking.execute("LOCK TABLE a WRITE");
      assertThatThrownBy(() -> source.sums(rows, WholeTable.INSTANCE, TwoSides.HASH, 10))
          .isInstanceOfSatisfying(
              NotReadable.class, e -> assertThat(e.reason()).isEqualTo(NotReadable.Reason.BLOCKED));
      locking.execute("UNLOCK TABLES");
      assertThat(source.sums(rows, WholeTable.INSTANCE, TwoSides.HASH, 10).rows()).isEqualTo(1);
    }
  }
}
