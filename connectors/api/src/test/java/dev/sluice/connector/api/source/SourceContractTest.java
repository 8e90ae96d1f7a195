package dev.sluice.connector.api.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.mappings.ParallelLoad;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.config.settings.DataSize;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.Message;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.comparison.SourceView;
import dev.sluice.connector.api.load.CopyLayout;
import dev.sluice.connector.api.load.LobCut;
import dev.sluice.connector.api.load.OrderedCopy;
import dev.sluice.connector.api.load.RowChunk;
import dev.sluice.connector.api.load.TableColumn;
import dev.sluice.connector.api.source.SourceUnderTest.Captured;
import dev.sluice.connector.api.source.SourceUnderTest.Transaction;
import dev.sluice.connector.api.source.catalog.CatalogColumn;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.connector.api.source.catalog.SourceCatalog;
import dev.sluice.connector.api.source.load.OrderedLines;
import dev.sluice.connector.api.source.load.OrderedReader;
import dev.sluice.connector.api.source.load.RecordedTable;
import dev.sluice.connector.api.source.load.RecordedTables;
import dev.sluice.connector.api.source.load.Segment;
import dev.sluice.connector.api.source.load.SegmentRows;
import dev.sluice.connector.api.source.load.SegmentRules;
import dev.sluice.connector.api.source.load.SnapshotReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What every source must do, whatever its database. The subclass of a connector names the database:
 * a real server.
 */
public abstract class SourceContractTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final DataSize SMALL = DataSize.ofBytes(16_384);
  private static final String ITEM =
      "CREATE TABLE item (id integer PRIMARY KEY, name varchar(40) NOT NULL, note varchar(200))";

  /** A new database, in which the statements were run. */
  protected abstract SourceUnderTest database(String... statements);

  /** Whether a task creates something on the server that is its own. */
  protected boolean createsObjects() {
    return true;
  }

  /** Whether a snapshot waits for the transactions that are open. */
  protected boolean waitsForTransactions() {
    return true;
  }

  /** Whether the log can be read without a capture. */
  protected boolean countsWithoutCapture() {
    return true;
  }

  @Test
  void theIdentityStaysTheSameAndIsThatOfEveryTask() {
    try (SourceUnderTest database = database(ITEM)) {
      SourceIdentity identity = database.source().identity();
      database.execute("INSERT INTO item VALUES (1, 'a', NULL)");
      assertThat(database.source().identity()).isEqualTo(identity);
      assertThat(database.ofAnotherTask().identity()).isEqualTo(identity);
    }
  }

  @Test
  void theCatalogHasTheSelectedTablesWithTheirKeysAndColumns() {
    try (SourceUnderTest database =
        database(
            ITEM,
            "CREATE TABLE line (a integer, b integer, c integer, PRIMARY KEY (b, a))",
            "CREATE TABLE keyless (x integer)")) {
      TableId keyless = database.table("keyless");
      SourceCatalog catalog = database.source().catalog(table -> !table.equals(keyless));
      assertThat(catalog.tables())
          .extracting(CatalogTable::table)
          .containsExactlyInAnyOrder(database.table("item"), database.table("line"));
      CatalogTable item = catalog.table(database.table("item")).orElseThrow();
      assertThat(item.columns())
          .extracting(CatalogColumn::name)
          .containsExactly("id", "name", "note");
      assertThat(item.columns())
          .extracting(CatalogColumn::nullable)
          .containsExactly(false, false, true);
      assertThat(keyOf(item)).containsExactly("id");
      assertThat(keyOf(catalog.table(database.table("line")).orElseThrow()))
          .containsExactly("a", "b");
      CatalogTable other = database.source().catalog(keyless::equals).table(keyless).orElseThrow();
      assertThat(other.hasKey()).isFalse();
    }
  }

  @Test
  @Timeout(300)
  void aSnapshotHasTheRowsUpToItsPositionAndTheCaptureThoseAfterIt() throws Exception {
    try (SourceUnderTest database = database(ITEM)) {
      AtomicInteger inserted = new AtomicInteger();
      AtomicBoolean enough = new AtomicBoolean();
      Thread application =
          new Thread(
              () -> {
                while (!enough.get()) {
                  int id = inserted.get() + 1;
                  database.execute("INSERT INTO item VALUES (%d, 'n', NULL)".formatted(id));
                  inserted.set(id);
                }
              });
      Source source = database.source();
      SourceCatalog catalog = capturing(source);
      application.start();
      awaitMore(inserted, 50);
      List<Integer> ids;
      try (SourceSnapshot snapshot = source.retention().create(PATIENCE)) {
        awaitMore(inserted, 50);
        enough.set(true);
        application.join();
        assertThat(source.retention().state().orElseThrow().confirmed())
            .isEqualTo(snapshot.position());
        ids = new ArrayList<>(ids(source, snapshot, SMALL, Map.of(), database.table("item")));
      }
      assertThat(ids).isNotEmpty();
      try (Captured captured = database.capture(CaptureScope.of(catalog))) {
        for (Transaction transaction : captured.next(inserted.get() - ids.size())) {
          for (ChangeEvent event : transaction.events()) {
            ids.add(Integer.parseInt(((RowChange) event).row().text(0)));
          }
        }
      }
      assertThat(ids)
          .containsExactlyElementsOf(IntStream.rangeClosed(1, inserted.get()).boxed().toList());
    }
  }

  @Test
  void theLogIsKeptWhileNoCaptureRuns() {
    try (SourceUnderTest database = database(ITEM)) {
      Source source = database.source();
      SourceCatalog catalog = capturing(source);
      source.retention().create(PATIENCE).close();
      try (Captured captured = database.capture(CaptureScope.of(catalog))) {
        database.execute("INSERT INTO item VALUES (1, 'a', NULL)");
        captured.next(1);
      }
      database.execute(
          "INSERT INTO item VALUES (2, 'b', NULL)", "INSERT INTO item VALUES (3, 'c', NULL)");
      assertThat(source.retention().state().orElseThrow().lost()).isFalse();
      try (Captured captured = database.capture(CaptureScope.of(catalog))) {
        assertThat(captured.next(3))
            .flatExtracting(Transaction::events)
            .extracting(event -> ((RowChange) event).row().text(0))
            .containsExactly("1", "2", "3");
      }
    }
  }

  @Test
  void theChecksNameATableWhoseOldRowsCannotBeIdentified() {
    try (SourceUnderTest database = database(ITEM, "CREATE TABLE keyless (x integer)")) {
      SourceChecks checks = database.source().checks();
      TableId keyless = database.table("keyless");
      assertThat(checks.problemsOf(TableMappings.EVERYTHING, database.table("item")::equals))
          .isEmpty();
      assertThat(checks.problemsOf(TableMappings.EVERYTHING, keyless::equals).toString())
          .contains(keyless.toString());
    }
  }

  @Test
  void theSegmentsOfATableHaveEachOfItsRowsOnce() {
    try (SourceUnderTest database =
        database("CREATE TABLE item (id integer PRIMARY KEY, part integer, note varchar(200))")) {
      database.execute(
          IntStream.rangeClosed(1, 1_000)
              .mapToObj(
                  id ->
                      "INSERT INTO item VALUES (%d, %s, '%s')"
                          .formatted(id, id % 7 == 0 ? "NULL" : id % 7, "x".repeat(id % 200)))
              .toArray(String[]::new));
      Source source = database.source();
      TableId item = database.table("item");
      List<Integer> all = IntStream.rangeClosed(1, 1_000).boxed().toList();
      try (SourceSnapshot snapshot = source.reloadSnapshots().open(PATIENCE)) {
        assertThat(ids(source, snapshot, DataSize.ofMebibytes(64), Map.of(), item))
            .containsExactlyInAnyOrderElementsOf(all);
        assertThat(ids(source, snapshot, SMALL, Map.of(), item))
            .containsExactlyInAnyOrderElementsOf(all);
        ParallelLoad byPart =
            new ParallelLoad.Ranges("1", List.of("part"), List.of(List.of("2"), List.of("5")));
        assertThat(ids(source, snapshot, SMALL, Map.of(item, byPart), item))
            .containsExactlyInAnyOrderElementsOf(all);
      }
    }
  }

  @Test
  void aTableThatIsGoneIsNamed() {
    try (SourceUnderTest database = database(ITEM)) {
      assertThatThrownBy(
              () ->
                  database
                      .source()
                      .reader()
                      .record(List.of(database.table("item"), database.table("gone"))))
          .isInstanceOf(SluiceException.Overtaken.class)
          .hasMessageContaining(database.table("gone").toString());
    }
  }

  @Test
  void aTableThatIsDroppedAfterItWasRecordedIsADifference() {
    try (SourceUnderTest database = database(ITEM)) {
      Source source = database.source();
      RecordedTables recorded = recorded(source, SMALL, Map.of(), database.table("item"));
      RecordedTable table = recorded.tables().get(0);
      Segment segment = recorded.segments().get(table.table()).get(0);
      database.execute("DROP TABLE item");
      try (SourceSnapshot snapshot = source.reloadSnapshots().open(PATIENCE);
          SnapshotReader reader = source.reader().open(snapshot.name())) {
        assertThat(reader.hold(table, segment).or(() -> reader.difference(table, segment)))
            .isPresent();
      }
    }
  }

  @Test
  void rowsComeInTheOrderOfTheirKeysText() {
    try (SourceUnderTest database =
        database("CREATE TABLE word (w varchar(10) PRIMARY KEY, n integer)")) {
      database.execute(
          "INSERT INTO word VALUES ('b', 1)",
          "INSERT INTO word VALUES ('B', 2)",
          "INSERT INTO word VALUES ('a', 3)",
          "INSERT INTO word VALUES ('10', 4)",
          "INSERT INTO word VALUES ('9', 5)");
      List<String> lines = new ArrayList<>();
      try (OrderedReader reader = database.source().reader().inOrder();
          OrderedLines rows =
              reader.read(
                  new OrderedCopy(
                      database.table("word"),
                      false,
                      List.of("w"),
                      List.of("n"),
                      LobCut.NONE,
                      Optional.empty()))) {
        for (byte[] line = rows.next(); line != null; line = rows.next()) {
          lines.add(new String(line, StandardCharsets.UTF_8).strip());
        }
      }
      assertThat(lines).containsExactly("10\t4", "9\t5", "B\t2", "a\t3", "b\t1");
    }
  }

  @Test
  void aFenceComesBackAtThePositionThatWasReturned() {
    try (SourceUnderTest database = database(ITEM)) {
      Source source = database.source();
      SourceCatalog catalog = capturing(source);
      source.retention().create(PATIENCE).close();
      try (Captured captured = database.capture(CaptureScope.of(catalog))) {
        database.execute("INSERT INTO item VALUES (1, 'a', NULL)");
        Position fence = source.log().emitFence();
        List<Transaction> read = captured.next(2);
        assertThat(read.get(0).events()).singleElement().isInstanceOf(RowChange.class);
        assertThat(read.get(1).events())
            .singleElement()
            .isInstanceOfSatisfying(
                Message.class,
                message ->
                    assertThat(new String(message.content(), StandardCharsets.US_ASCII))
                        .isEqualTo(fence.toString()));
        assertThat(source.log().current()).isGreaterThanOrEqualTo(fence);
        assertThat(source.log().ignoredMessages()).isZero();
      }
    }
  }

  /** Otherwise a pass over the tables of a source that rests would never end. */
  @Test
  void aComparisonHasAtLeastThePositionOfTheLastTransactionBeforeIt() {
    try (SourceUnderTest database = database(ITEM)) {
      Source source = database.source();
      database.execute("INSERT INTO item VALUES (1, 'a', NULL)");
      Position last = source.log().lastTransaction();
      assertThat(source.log().current()).isGreaterThanOrEqualTo(last);
      try (SourceView view = source.comparison().open(PATIENCE)) {
        assertThat(view.position()).isGreaterThanOrEqualTo(last);
      }
    }
  }

  @Test
  void anIdThatIsTakenAfterATransactionIsAboveOneTakenBefore() {
    try (SourceUnderTest database = database(ITEM)) {
      SourceLog log = database.source().log();
      OptionalLong first = log.takeTransactionId();
      database.execute("INSERT INTO item VALUES (1, 'a', NULL)");
      first.ifPresent(
          id -> assertThat(log.takeTransactionId().orElseThrow()).isGreaterThan(id).isPositive());
    }
  }

  @Test
  @Timeout(300)
  void changesThatWaitWithoutACaptureAreCountedByTable() {
    assumeTrue(countsWithoutCapture());
    try (SourceUnderTest database = database(ITEM, "CREATE TABLE other (id integer PRIMARY KEY)")) {
      Source source = database.source();
      capturing(source);
      Position before;
      try (SourceSnapshot snapshot = source.retention().create(PATIENCE)) {
        before = snapshot.position();
      }
      database.execute(
          "INSERT INTO item VALUES (1, 'a', NULL)",
          "UPDATE item SET name = 'b'",
          "INSERT INTO other VALUES (1)");
      // The source may show a change only some time after its commit.
      Map<TableId, Long> counted = new HashMap<>();
      Position upTo = before;
      while (counted.values().stream().mapToLong(Long::longValue).sum() < 3) {
        RetainedChanges.Found found = source.retainedChanges().after(upTo);
        found.changes().forEach((table, count) -> counted.merge(table, count, Long::sum));
        upTo = found.upTo();
      }
      assertThat(counted)
          .containsOnly(
              Map.entry(database.table("item"), 2L), Map.entry(database.table("other"), 1L));
      source.retainedChanges().giveUp(upTo);
      assertThat(source.retainedChanges().after(upTo).changes()).isEmpty();
    }
  }

  @Test
  @Timeout(300)
  void theLogThatIsKeptShowsAFenceBehindAnyNumberOfChanges() throws InterruptedException {
    assumeTrue(countsWithoutCapture());
    try (SourceUnderTest database = database(ITEM)) {
      Source source = database.source();
      capturing(source);
      source.retention().create(PATIENCE).close();
      database.execute(
          "INSERT INTO item WITH RECURSIVE n (i) AS"
              + " (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12000)"
              + " SELECT i, 'a', NULL FROM n",
          "UPDATE item SET name = 'b'");
      RetainedChanges retained = source.retainedChanges();
      Position fence = source.log().emitFence();
      // The source may show a fence only some time after its commit.
      while (!retained.shows(fence)) {
        Thread.sleep(20);
      }
      source.retainedChanges().giveUp(source.log().current());
      assertThat(retained.shows(fence)).isFalse();
    }
  }

  @Test
  void aTransactionThatHasWrittenIsOpenUntilItsEnd() {
    try (SourceUnderTest database = database(ITEM)) {
      SourceLog log = database.source().log();
      assertThat(log.openTransactions()).isEmpty();
      Runnable rollback = database.leaveOpen("INSERT INTO item VALUES (1, 'a', NULL)");
      assertThat(log.openTransactions()).hasSize(1);
      rollback.run();
      assertThat(log.openTransactions()).isEmpty();
    }
  }

  @Test
  void aSnapshotThatWaitsTooLongNamesTheTransactionAndLeavesNothing() {
    assumeTrue(waitsForTransactions());
    try (SourceUnderTest database = database(ITEM)) {
      List<String> before = database.leftovers();
      Runnable rollback = database.leaveOpen("INSERT INTO item VALUES (1, 'a', NULL)");
      assertThatThrownBy(() -> database.source().retention().create(Duration.ofSeconds(1)))
          .isInstanceOf(SluiceException.Fatal.class)
          .hasMessageContaining("TransactionConsistencyTimeout")
          .hasMessageContaining(database.source().log().openTransactions().get(0).name());
      rollback.run();
      assertThat(database.leftovers()).isEqualTo(before);
    }
  }

  @Test
  void removalLeavesNothing() {
    try (SourceUnderTest database = database(ITEM, "CREATE TABLE keyless (x integer)")) {
      List<String> before = database.leftovers();
      Source source = database.source();
      SourceCatalog catalog = source.catalog(table -> true);
      List<TableId> tables = catalog.tables().stream().map(CatalogTable::table).toList();
      source.ddlReporting().install();
      source.ddlReporting().begin(List.of(), tables);
      Map<TableId, String> identities = new HashMap<>();
      source.capturedTables().logOldRows(catalog, table -> false, identities::put);
      SourceCatalog logged = source.catalog(table -> true);
      source.capturedTables().include(logged, table -> Optional.empty(), false);
      source.retention().create(PATIENCE).close();
      source.ddlReporting().register(List.of(), tables);
      try (Captured captured = database.capture(CaptureScope.of(logged))) {
        database.execute("INSERT INTO item VALUES (1, 'a', NULL)");
        captured.next(1);
      }
      assertThat(database.leftovers().equals(before)).isEqualTo(!createsObjects());

      assertThat(source.retention().drop()).isTrue();
      source.ddlReporting().remove();
      assertThat(source.capturedTables().drop()).isEqualTo(createsObjects());
      source.oldRowLogging().restore(identities);
      assertThat(database.leftovers()).isEqualTo(before);
      assertThat(source.retention().drop()).isFalse();
      assertThat(source.capturedTables().drop()).isFalse();
    }
  }

  @Test
  void whatAnotherTaskHasMadeIsNeitherUsedNorRemoved() {
    assumeTrue(createsObjects());
    try (SourceUnderTest database = database(ITEM)) {
      Source source = database.source();
      SourceCatalog catalog = capturing(source);
      source.retention().create(PATIENCE).close();
      Source other = database.ofAnotherTask();
      try (Captured captured = database.capture(CaptureScope.of(catalog))) {
        database.execute("INSERT INTO item VALUES (1, 'a', NULL)");
        captured.next(1);

        assertThat(other.capturedTables().anothers()).isPresent();
        assertThatThrownBy(
                () -> other.capturedTables().include(catalog, table -> Optional.empty(), false))
            .isInstanceOf(SluiceException.Fatal.class);
        assertThat(other.capturedTables().drop()).isFalse();
        assertThatThrownBy(() -> other.retention().create(PATIENCE))
            .isInstanceOfSatisfying(
                SluiceException.class,
                failure -> assertThat(other.retention().isAnothers(failure)).isTrue());
        assertThatThrownBy(() -> other.retention().release())
            .isInstanceOf(SluiceException.Fatal.class);
        assertThatThrownBy(() -> other.retention().drop())
            .isInstanceOf(SluiceException.Fatal.class);

        database.execute("INSERT INTO item VALUES (2, 'b', NULL)");
        assertThat(captured.next(1)).hasSize(1);
      }
    }
  }

  private static SourceCatalog capturing(Source source) {
    SourceCatalog catalog = source.catalog(table -> true);
    source.capturedTables().include(catalog, table -> Optional.empty(), false);
    return catalog;
  }

  private static void awaitMore(AtomicInteger count, int more) throws InterruptedException {
    int goal = count.get() + more;
    while (count.get() < goal) {
      Thread.sleep(10);
    }
  }

  private static List<String> keyOf(CatalogTable table) {
    return table.columns().stream()
        .filter(CatalogColumn::key)
        .map(CatalogColumn::name)
        .sorted()
        .toList();
  }

  private static RecordedTables recorded(
      Source source, DataSize segmentSize, Map<TableId, ParallelLoad> rules, TableId table) {
    return source
        .reader()
        .record(List.of(table), new SegmentRules(segmentSize, rules, each -> Optional.empty()));
  }

  /** The first column of all rows in a snapshot, read segment by segment. */
  private static List<Integer> ids(
      Source source,
      SourceSnapshot snapshot,
      DataSize segmentSize,
      Map<TableId, ParallelLoad> rules,
      TableId name) {
    RecordedTables recorded = recorded(source, segmentSize, rules, name);
    RecordedTable table = recorded.tables().get(0);
    List<TableColumn> asText =
        table.columns().stream()
            .map(column -> new TableColumn(column.name(), "text", false))
            .toList();
    CopyLayout layout =
        CopyLayout.between(table.columns(), asText, Optional::of, Optional.empty(), true);
    StringBuilder lines = new StringBuilder();
    try (SnapshotReader reader = source.reader().open(snapshot.name())) {
      for (Segment segment : recorded.segments().get(name)) {
        assertThat(reader.hold(table, segment).or(() -> reader.difference(table, segment)))
            .isEmpty();
        try (SegmentRows rows = reader.read(segment, layout)) {
          RowChunk chunk = new RowChunk();
          while (rows.next(chunk, Integer.MAX_VALUE)) {
            lines.append(new String(chunk.bytes(), 0, chunk.length(), StandardCharsets.UTF_8));
          }
        }
        reader.release(segment);
      }
    }
    return Arrays.stream(lines.toString().split("\n"))
        .filter(line -> !line.isEmpty())
        .map(line -> Integer.valueOf(line.substring(0, line.indexOf('\t'))))
        .toList();
  }
}
