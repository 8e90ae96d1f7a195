package dev.sluice.connector.mariadb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.config.settings.DataSize;
import dev.sluice.connector.api.load.CopyLayout;
import dev.sluice.connector.api.load.RowChunk;
import dev.sluice.connector.api.load.TableColumn;
import dev.sluice.connector.api.source.Source;
import dev.sluice.connector.api.source.SourceSnapshot;
import dev.sluice.connector.api.source.load.RecordedTable;
import dev.sluice.connector.api.source.load.RecordedTables;
import dev.sluice.connector.api.source.load.RowsByKey;
import dev.sluice.connector.api.source.load.Segment;
import dev.sluice.connector.api.source.load.SegmentRange;
import dev.sluice.connector.api.source.load.SegmentRows;
import dev.sluice.connector.api.source.load.SegmentRules;
import dev.sluice.connector.api.source.load.SnapshotReader;
import dev.sluice.connector.api.source.load.TableChanged;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Rows that a load reads under a snapshot of a real server. */
class SnapshotLoadTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  @Test
  void valuesOfAllTypesAreTextsThatPostgresqlReads() {
    try (SourceDatabase database =
        new SourceDatabase(
            """
            CREATE TABLE v (id int PRIMARY KEY, big bigint unsigned, z int(6) zerofill,
              d decimal(10,2), f float, g double, b bit(5), da date, ti time(3), dt datetime(6),
              ts timestamp(3) NULL, y year, e enum('one','two'), s set('a','b'), c varchar(40),
              l varchar(20) CHARACTER SET latin1, bi binary(4), bl blob, j json)
            """)) {
      database.execute(
          """
          INSERT INTO v VALUES (1, 18446744073709551615, 42, -1.50, 0.1, 1e300, b'00101',
            '2024-02-29', '-838:59:59', '2024-01-02 03:04:05.120000', '2024-01-02 03:04:05.5',
            2024, 'two', 'a,b', 'a\\tb\\nc\\\\d', 'ä', x'01020000', x'ff00', '{"a": 1}')
          """,
          "INSERT INTO v (id) VALUES (2)");
      // The offset of a test's session is that of the machine.
      database.execute("SET time_zone = '+00:00'", "UPDATE v SET ts = '2024-01-02 03:04:05.5'");
      assertThat(lines(database.source(), database.table("v")))
          .containsExactlyInAnyOrder(
              String.join(
                  "\t",
                  "1",
                  "18446744073709551615",
                  "42",
                  "-1.50",
                  "0.10000000149011612",
                  "1e300",
                  "00101",
                  "2024-02-29",
                  "-838:59:59",
                  "2024-01-02 03:04:05.12",
                  "2024-01-02 03:04:05.5+00",
                  "2024",
                  "two",
                  "a,b",
                  "a\\tb\\nc\\\\d",
                  "ä",
                  "\\\\x01020000",
                  "\\\\xff00",
                  "{\"a\": 1}"),
              "2" + "\t\\N".repeat(9) + "\t2024-01-02 03:04:05.5+00" + "\t\\N".repeat(8));
    }
  }

  @Test
  void allRowsAreReadWhateverTheServersDefaultsForSessionsAre() {
    try (SourceDatabase database =
        new SourceDatabase(
            "CREATE TABLE a (id int PRIMARY KEY)",
            "INSERT INTO a WITH RECURSIVE n AS"
                + " (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 600)"
                + " SELECT a.i + 600 * b.i FROM n a JOIN n b WHERE b.i <= 10")) {
      database.execute(
          "SET GLOBAL sql_select_limit = 5000",
          "SET GLOBAL max_join_size = 5000",
          "SET GLOBAL completion_type = 'RELEASE'");
      try {
        assertThat(lines(database.source(), database.table("a"))).hasSize(6000);
      } finally {
        database.execute(
            "SET GLOBAL sql_select_limit = DEFAULT",
            "SET GLOBAL max_join_size = DEFAULT",
            "SET GLOBAL completion_type = DEFAULT");
      }
    }
  }

  @Test
  void aTableThatGetsTheNameOfAnotherOneIsNoticed() throws Exception {
    try (SourceDatabase database =
        new SourceDatabase(
            "CREATE TABLE a (id int PRIMARY KEY)",
            "CREATE TABLE b (id int PRIMARY KEY)",
            "INSERT INTO a VALUES (1)")) {
      Source source = database.source();
      RecordedTables recorded = recorded(source, database.table("a"), DataSize.ofMebibytes(1));
      RecordedTable table = recorded.tables().get(0);
      Segment segment = recorded.segments().get(table.table()).get(0);
      try (SourceSnapshot snapshot = source.reloadSnapshots().open(PATIENCE);
          SnapshotReader reader = source.reader().open(snapshot.name())) {
        database.execute("RENAME TABLE a TO c, b TO a");
        assertThat(reader.hold(table, segment).or(() -> reader.difference(table, segment)))
            .map(TableChanged::difference)
            .get()
            .asString()
            .contains("another table has its name");
        reader.release(segment);
      }
    }
  }

  @Test
  void aTableThatWasTruncatedAfterTheSnapshotIsNoticed() {
    try (SourceDatabase database =
        new SourceDatabase("CREATE TABLE a (id int PRIMARY KEY)", "INSERT INTO a VALUES (1)")) {
      Source source = database.source();
      RecordedTables recorded = recorded(source, database.table("a"), DataSize.ofMebibytes(1));
      RecordedTable table = recorded.tables().get(0);
      Segment segment = recorded.segments().get(table.table()).get(0);
      try (SourceSnapshot snapshot = source.reloadSnapshots().open(PATIENCE);
          SnapshotReader reader = source.reader().open(snapshot.name())) {
        database.execute("TRUNCATE TABLE a");
        assertThat(reader.hold(table, segment).or(() -> reader.difference(table, segment)))
            .isPresent();
        reader.release(segment);
      }
    }
  }

  @Test
  @Timeout(120)
  void aTableThatWasReadCanBeAlteredWhileTheSnapshotIsOpen() throws Exception {
    try (SourceDatabase database =
        new SourceDatabase("CREATE TABLE a (id int PRIMARY KEY)", "INSERT INTO a VALUES (1)")) {
      Source source = database.source();
      RecordedTables recorded = recorded(source, database.table("a"), DataSize.ofMebibytes(1));
      RecordedTable table = recorded.tables().get(0);
      Segment segment = recorded.segments().get(table.table()).get(0);
      try (SourceSnapshot snapshot = source.reloadSnapshots().open(PATIENCE);
          SnapshotReader reader = source.reader().open(snapshot.name())) {
        assertThat(read(reader, table, segment, layout(table))).containsExactly("1");
        database.execute("SET lock_wait_timeout = 20", "ALTER TABLE a ADD COLUMN x int");
      }
    }
  }

  @Test
  @Timeout(300)
  void allSessionsOfASnapshotShowTheSameRowsUnderThreeWriters() throws Exception {
    try (SourceDatabase database =
        new SourceDatabase(
            "CREATE TABLE a (id int AUTO_INCREMENT PRIMARY KEY, w int)",
            "INSERT INTO a (w) SELECT seq FROM " + Servers.numbers(5000),
            "ANALYZE TABLE a")) {
      AtomicBoolean enough = new AtomicBoolean();
      List<Thread> writers = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        int number = i;
        Thread writer =
            new Thread(
                () -> {
                  try (Connection connection = database.connect();
                      Statement statement = connection.createStatement()) {
                    while (!enough.get()) {
                      // From the last segment to the first: the sum stays if both are of one
                      // position.
                      statement.execute(
                          "UPDATE a SET w = w + IF(id <= 3, 1, -1) WHERE id IN (%d, %d)"
                              .formatted(1 + number, 5_000 - number));
                    }
                  } catch (java.sql.SQLException e) {
                    throw new IllegalStateException(e);
                  }
                });
        writer.start();
        writers.add(writer);
      }
      Source source = database.source();
      RecordedTables recorded = recorded(source, database.table("a"), DataSize.ofBytes(16_384));
      RecordedTable table = recorded.tables().get(0);
      List<Segment> segments = recorded.segments().get(table.table());
      assertThat(segments).hasSizeGreaterThan(3);
      for (int round = 0; round < 20; round++) {
        long sum = 0;
        int rows = 0;
        try (SourceSnapshot snapshot = source.reloadSnapshots().open(PATIENCE)) {
          Segment last = segments.get(segments.size() - 1);
          // A reader that holds a segment has a session of its own.
          try (SnapshotReader first = source.reader().open(snapshot.name());
              SnapshotReader second = source.reader().open(snapshot.name())) {
            assertThat(second.hold(table, last)).isEmpty();
            for (Segment segment : segments.subList(0, segments.size() - 1)) {
              for (String line : read(first, table, segment, layout(table))) {
                sum += Long.parseLong(line.substring(line.indexOf('\t') + 1));
                rows++;
              }
            }
            assertThat(first.hold(table, segments.get(0))).isEmpty();
            second.release(last);
            for (String line : read(second, table, last, layout(table))) {
              sum += Long.parseLong(line.substring(line.indexOf('\t') + 1));
              rows++;
            }
            first.release(segments.get(0));
          }
        }
        assertThat(rows).isEqualTo(5_000);
        assertThat(sum).isEqualTo(5_000L * 5_001 / 2);
      }
      enough.set(true);
      for (Thread writer : writers) {
        writer.join();
      }
    }
  }

  @Test
  void rowsAreFoundByExactlyTheirKeys() {
    try (SourceDatabase database =
        new SourceDatabase(
            "CREATE TABLE k (a varchar(10), b bigint, PRIMARY KEY (a, b))",
            "INSERT INTO k VALUES ('x', 1), ('Y', 2), ('it''s', 3), ('x', 4)")) {
      Source source = database.source();
      RecordedTables recorded = recorded(source, database.table("k"), DataSize.ofMebibytes(1));
      RecordedTable table = recorded.tables().get(0);
      try (SourceSnapshot snapshot = source.reloadSnapshots().open(PATIENCE);
          SnapshotReader reader = source.reader().open(snapshot.name())) {
        SegmentRange wanted =
            reader.rangeOf(
                new RowsByKey(
                    List.of("a", "b"),
                    List.of(List.of("x", "1"), List.of("y", "2"), List.of("it's", "3")),
                    List.of(new SegmentRange.Whole())));
        assertThat(
                read(
                    reader,
                    table,
                    new Segment(table.table(), 0, table.table(), wanted),
                    layout(table)))
            .containsExactlyInAnyOrder("x\t1", "it's\t3");
      }
    }
  }

  @Test
  void aRowThatIsLargerThanAChunkComesInPieces() {
    try (SourceDatabase database =
        new SourceDatabase(
            "CREATE TABLE a (id int PRIMARY KEY, x longtext)",
            "INSERT INTO a VALUES (1, repeat('a', 300000)), (2, 'b')")) {
      assertThat(lines(database.source(), database.table("a")))
          .containsExactlyInAnyOrder("1\t" + "a".repeat(300_000), "2\tb");
    }
  }

  private static List<String> lines(Source source, TableId name) {
    RecordedTables recorded = recorded(source, name, DataSize.ofMebibytes(64));
    RecordedTable table = recorded.tables().get(0);
    List<String> lines = new ArrayList<>();
    try (SourceSnapshot snapshot = source.reloadSnapshots().open(PATIENCE);
        SnapshotReader reader = source.reader().open(snapshot.name())) {
      for (Segment segment : recorded.segments().get(name)) {
        lines.addAll(read(reader, table, segment, layout(table)));
      }
    }
    return lines;
  }

  private static RecordedTables recorded(Source source, TableId table, DataSize size) {
    return source
        .reader()
        .record(List.of(table), new SegmentRules(size, Map.of(), any -> Optional.empty()));
  }

  private static CopyLayout layout(RecordedTable table) {
    List<TableColumn> asText =
        table.columns().stream()
            .map(column -> new TableColumn(column.name(), "text", false))
            .toList();
    return CopyLayout.between(table.columns(), asText, Optional::of, Optional.empty(), true)
        .asText();
  }

  private static List<String> read(
      SnapshotReader reader, RecordedTable table, Segment segment, CopyLayout layout) {
    assertThat(reader.hold(table, segment).or(() -> reader.difference(table, segment))).isEmpty();
    StringBuilder text = new StringBuilder();
    int rowsEnded = 0;
    try (SegmentRows rows = reader.read(segment, layout)) {
      RowChunk chunk = new RowChunk();
      while (rows.next(chunk, Integer.MAX_VALUE)) {
        text.append(new String(chunk.bytes(), 0, chunk.length(), StandardCharsets.UTF_8));
        rowsEnded += chunk.rows();
      }
    }
    reader.release(segment);
    List<String> lines = text.toString().lines().toList();
    assertThat(rowsEnded).isEqualTo(lines.size());
    return lines;
  }
}
