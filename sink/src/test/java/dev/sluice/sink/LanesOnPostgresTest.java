package dev.sluice.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.BatchApplyOverrides;
import dev.sluice.config.settings.ChangeProcessingTuning;
import dev.sluice.config.settings.ControlTablesSettings;
import dev.sluice.config.settings.DataSize;
import dev.sluice.config.settings.ErrorBehavior;
import dev.sluice.config.settings.LeastWindowTime;
import dev.sluice.config.settings.SluiceSettings;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.Definition;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.RowBuilder;
import dev.sluice.connector.api.SchemaLookup;
import dev.sluice.connector.api.ddl.DefinitionChanges;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.sink.apply.BatchApplier;
import dev.sluice.sink.apply.LaneStart;
import dev.sluice.sink.apply.plan.ApplySettings;
import dev.sluice.sink.control.position.LaneCheckpoint;
import dev.sluice.sink.control.position.LaneCheckpoints;
import dev.sluice.sink.control.position.WindowCheckpoint;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.schema.CheckpointStore;
import dev.sluice.sink.control.suspension.SuspendedTable;
import dev.sluice.sink.control.suspension.SuspendedTables;
import dev.sluice.sink.control.suspension.SuspensionState;
import dev.sluice.sink.intake.JournalEntry;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.lane.ChangeObserver;
import dev.sluice.sink.lane.Lane;
import dev.sluice.sink.lane.LaneBound;
import dev.sluice.sink.lane.LaneId;
import dev.sluice.sink.lane.LaneRendezvous;
import dev.sluice.sink.lane.TableFilter;
import dev.sluice.sink.progress.SinkState;
import dev.sluice.sink.replay.JournalRecords;
import dev.sluice.sink.replay.JournalReplay;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.target.kind.TargetServers;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two lanes that read the same journal and have a table each, on a real PostgreSQL. */
final class LanesOnPostgresTest {
  private static final String CONTROL = "sluice_control";
  private static final TableId ITEMS = RandomItems.ITEMS.table();
  private static final SchemaLookup SCHEMAS =
      fingerprint ->
          fingerprint == RandomItems.ITEMS.fingerprint() ? RandomItems.ITEMS : RandomItems.AUDIT;
  private static final LaneId SECOND = LaneId.parallel(2);
  private static final Definition DDL =
      new Definition(new DefinitionChanges("ALTER TABLE", true, Map.of(), List.of(), List.of()));

  @TempDir Path directory;

  private static EmbeddedPostgres postgres;
  private static Connection sql;
  private static TargetServer server;
  private static LaneCheckpoints lanes;

  private final JournalScript journal = new JournalScript().term(1, 0);
  private final List<JournalEntry> written = new ArrayList<>();
  private RandomItems source = new RandomItems(7);
  private TaskSettings policies = TaskSettings.DEFAULTS;
  private LaneBound bound = LaneBound.NONE;
  private Optional<LaneRendezvous> meeting = Optional.empty();
  private Duration durableEvery = Duration.ofMillis(200);
  private long position;

  @BeforeAll
  static void startServer() throws SQLException {
    postgres = EmbeddedPostgres.start();
    postgres.createDatabase("target");
    sql = postgres.connect("target");
    server =
        TargetServers.postgres(postgres.jdbcUrl("target"), "postgres", null, "sluice test", 50);
    lanes = new LaneCheckpoints(server, CONTROL);
  }

  @AfterAll
  static void stopServer() throws SQLException {
    sql.close();
    postgres.close();
  }

  @BeforeEach
  void createTables() throws SQLException {
    run("DROP SCHEMA IF EXISTS shop, " + CONTROL + " CASCADE");
    run("CREATE SCHEMA shop");
    run("CREATE TABLE shop.items (id int PRIMARY KEY, code int UNIQUE, wide text)");
    run("CREATE TABLE shop.audit (what text)");
    CheckpointStore store = new CheckpointStore(server, CONTROL);
    store.create();
    Checkpoint claimed = store.claim("task");
    addLane(claimed, SECOND);
  }

  @Test
  void eachLaneAppliesItsTablesAndMovesItsOwnCheckpoint() throws Exception {
    write(300);
    Checkpoint claimed = claim();
    try (SinkPipeline second = start(claimed, SECOND)) {
      give(second, 0);
      second.drainAndStop();
    }
    assertThat(items()).isEqualTo(source.rows());
    assertThat(audit()).isEmpty();
    assertThat(second().place().position()).isEqualTo(new Position(position));
    assertThat(main().position()).isEqualTo(Position.ZERO);
    try (SinkPipeline main = start(claimed, LaneId.MAIN)) {
      give(main, 0);
      main.drainAndStop();
    }
    assertSame();
  }

  @Test
  void lanesWhoseConnectionsBreakAndThatAreKilledNeitherLoseNorRepeatAChange() throws Exception {
    write(120);
    Random random = new Random(4);
    while (main().nextOffset() < written.size() || second().place().nextOffset() < written.size()) {
      Checkpoint claimed = claim();
      try (SinkPipeline main = start(claimed, LaneId.MAIN);
          SinkPipeline second = start(claimed, SECOND)) {
        Thread killer = killer();
        acceptSome(main, main().nextOffset(), random);
        acceptSome(second, second().place().nextOffset(), random);
        killer.join();
        if (random.nextBoolean()) {
          second.drainAndStop();
        }
        if (random.nextBoolean()) {
          main.drainAndStop();
        }
      } catch (SluiceException.Retryable e) {
        // A draining lane tries nothing again; the next start does.
        continue;
      }
    }
    assertSame();
  }

  @Test
  void aLaneThatIsFencedOffWritesNothingMore() throws Exception {
    // That too would notice it.
    durableEvery = Duration.ofHours(1);
    transaction(item(1));
    Checkpoint lost = claim();
    SinkPipeline second = start(lost, SECOND);
    give(second, 0);
    claim();
    transaction(item(2));
    second.accept(written.subList(2, 3), true, Instant.now());
    await().until(() -> second.failure().isPresent());
    assertThat(second.failure().get()).isInstanceOf(SluiceException.Fenced.class);
    second.close();
    assertThat(items()).containsExactly("1|1|wide");
    assertThatThrownBy(() -> change(lost, "change the lanes", connection -> {}))
        .isInstanceOf(SluiceException.Fenced.class);
  }

  @Test
  void changesThatALaneRejectsAreOfItsTablesAndHaveTheirOrdinalInTheSourcesTransaction()
      throws Exception {
    policies = TaskSettings.parse("policies", "{\"Sluice\": {\"ErrorProfile\": \"dms-defaults\"}}");
    run("INSERT INTO shop.items VALUES (1, 1000, 'foreign')");
    transaction(audit("a"), audit("b"), item(1), audit("c"), item(2));
    Checkpoint claimed = claim();
    for (LaneId lane : List.of(SECOND, LaneId.MAIN)) {
      try (SinkPipeline pipeline = start(claimed, lane)) {
        give(pipeline, 0);
        assertThat(pipeline.progress().apply().tables())
            .containsOnlyKeys(lane.isMain() ? RandomItems.AUDIT.table() : ITEMS);
        pipeline.drainAndStop();
      }
    }
    assertThat(
            query(
                "SELECT source_table || ' ' || change_number FROM "
                    + CONTROL
                    + ".sluice_apply_exceptions"))
        .containsExactly("items 3");
    assertThat(items()).containsExactly("1|1000|foreign", "2|2|wide");
    assertThat(audit()).containsExactly("a", "b", "c");
  }

  @Test
  void aLaneWithoutChangesInALargeTransactionHoldsNothingOfItAndAdvances() throws Exception {
    RowChange[] many = new RowChange[20_000];
    for (int i = 0; i < many.length; i++) {
      many[i] = audit("a rather long line " + i);
    }
    transaction(many);
    transaction(item(1));
    try (SinkPipeline second = start(claim(), SECOND)) {
      give(second, 0);
      assertThat(second.progress().intake().transactionsSpilled().total()).isZero();
      assertThat(second.drainAndStop().position()).isEqualTo(new Position(position));
      assertThat(second.progress().apply().changes()).isEqualTo(1);
    }
    assertThat(items()).containsExactly("1|1|wide");
  }

  @Test
  void aTableThatCatchesUpInALaneOfItsOwnEndsExactlyAtTheBound() throws Exception {
    write(100);
    Checkpoint claimed = claim();
    LaneId catchUp = LaneId.catchUp(ITEMS);
    addLane(claimed, catchUp);
    long upTo = 16 * 60;
    List<String> then = rowsAt(60);
    bound = LaneBound.upTo(new Position(16 * 30));
    try (SinkPipeline pipeline = start(claimed, catchUp)) {
      pipeline.accept(written, true, Instant.now());
      await().until(() -> reaches(pipeline, 16 * 30));
      bound = LaneBound.endingAt(new Position(upTo));
      await().until(() -> pipeline.accept(List.of(), true, Instant.now()).isAtEnd());
      JournalOffset place = pipeline.drainAndStop();
      assertThat(place.position()).isEqualTo(new Position(upTo));
      assertThat(lane(catchUp).place()).isEqualTo(place);
      assertThat(lane(catchUp).durable()).isEqualTo(place.position());
    }
    assertThat(items()).isEqualTo(then);
    change(claimed, "join", connection -> lanes.remove(connection, claimed, List.of(catchUp)));
    assertThat(lanes.read("task")).extracting(LaneCheckpoint::lane).containsExactly(SECOND);
  }

  @Test
  void aTransactionThatAltersTablesIsAppliedByTheMainLaneForAllWhenEachHasWhatComesBeforeIt()
      throws Exception {
    meeting = Optional.of(new LaneRendezvous(Set.of(SECOND)));
    durableEvery = Duration.ofHours(1);
    transaction(item(1), audit("a"));
    transaction(item(2), DDL, item(3), audit("b"));
    transaction(item(4), audit("c"));
    Checkpoint claimed = claim();
    try (SinkPipeline main = start(claimed, LaneId.MAIN);
        SinkPipeline second = start(claimed, SECOND)) {
      main.accept(written, true, Instant.now());
      await().until(() -> reaches(main, 16));
      assertThat(main.accept(List.of(), true, Instant.now()).pause()).isTrue();
      assertThat(items()).isEmpty();
      second.accept(written, true, Instant.now());
      await().until(() -> reaches(second, 16));
      assertThat(items()).containsExactly("1|1|wide");
      await().until(() -> reaches(main, 48));
      assertThat(second().place()).isEqualTo(new JournalOffset(new Position(32), 1, 2, 3));
      assertThat(main().durable()).as("of what others go on after").isEqualTo(new Position(32));
      assertThat(items()).containsExactly("1|1|wide", "2|2|wide", "3|3|wide");
      await().until(() -> reaches(second, 48));
      main.drainAndStop();
      second.drainAndStop();
      assertThat(main.progress().apply().changes()).isEqualTo(5);
      assertThat(second.progress().apply().changes()).isEqualTo(2);
    }
    assertThat(items()).containsExactly("1|1|wide", "2|2|wide", "3|3|wide", "4|4|wide");
    assertThat(audit()).containsExactly("a", "b", "c");
  }

  @Test
  void aTransactionForAllLanesPassesOverATableThatOneOfThemSuspended() throws Exception {
    policies =
        TaskSettings.parse(
            "policies", "{\"ErrorBehavior\": {\"TableErrorPolicy\": \"SUSPEND_TABLE\"}}");
    meeting = Optional.of(new LaneRendezvous(Set.of(SECOND)));
    run("ALTER TABLE shop.items RENAME TO gone");
    transaction(item(1), audit("a"));
    Checkpoint claimed = claim();
    try (SinkPipeline main = start(claimed, LaneId.MAIN);
        SinkPipeline second = start(claimed, SECOND)) {
      give(main, 0);
      give(second, 0);
      run("ALTER TABLE shop.gone RENAME TO items");
      transaction(item(2), DDL, audit("b"));
      transaction(item(3), audit("c"));
      List<JournalEntry> more = written.subList(2, 4);
      main.accept(more, true, Instant.now());
      second.accept(more, true, Instant.now());
      await().until(() -> reaches(main, 48) & reaches(second, 48));
      assertThat(main.progress().apply().suspended()).hasSize(1);
    }
    assertThat(items()).isEmpty();
    assertThat(audit()).containsExactly("a", "b", "c");
  }

  @Test
  void tablesSuspendedBeforeALaneIsAdvancedAreSkippedForIt() throws Exception {
    // Only the window for all lanes is to wait for the row.
    durableEvery = Duration.ofHours(1);
    meeting = Optional.of(new LaneRendezvous(Set.of(SECOND)));
    transaction(item(1));
    Checkpoint claimed = claim();
    try (SinkPipeline main = start(claimed, LaneId.MAIN);
        SinkPipeline second = start(claimed, SECOND)) {
      give(main, 0);
      give(second, 0);
      JournalOffset before = second().place();
      try (TargetConnection order = server.connect()) {
        new WindowCheckpoint(CONTROL, claimed, SECOND).lock(order);
        SuspendedTable suspended =
            new SuspendedTable(
                ITEMS,
                SuspensionState.SUSPENDED,
                "by order",
                Instant.now(),
                before,
                before.position(),
                true,
                true);
        new SuspendedTables(CONTROL, "task").add(order, List.of(suspended), List.of(ITEMS));
        transaction(item(2), DDL, audit("b"));
        transaction(item(3));
        main.accept(written.subList(2, 4), true, Instant.now());
        second.accept(written.subList(2, 4), true, Instant.now());
        await()
            .until(
                () -> {
                  main.accept(List.of(), true, Instant.now());
                  second.accept(List.of(), true, Instant.now());
                  return isWaitingForALock();
                });
        order.jdbc().commit();
      }
      await().until(() -> reaches(main, 48) & reaches(second, 48));
    }
    assertThat(items()).containsExactly("1|1|wide");
    assertThat(audit()).containsExactly("b");
  }

  @Test
  void lanesThatMeetAndAreKilledAtAnyMomentNeitherLoseNorRepeatAChange() throws Exception {
    for (int i = 0; i < 120; i++) {
      ChangeEvent[] changes = source.transaction(1 + i % 20, 30);
      transaction(i % 8 == 0 ? withDdl(changes) : changes);
    }
    Random random = new Random(5);
    int runs = 0;
    while (main().nextOffset() < written.size() || second().place().nextOffset() < written.size()) {
      meeting = Optional.of(new LaneRendezvous(Set.of(SECOND)));
      Checkpoint claimed = claim();
      try (SinkPipeline main = start(claimed, LaneId.MAIN);
          SinkPipeline second = start(claimed, SECOND)) {
        int mainOffset = (int) claimed.nextOffset();
        int secondOffset = (int) second().place().nextOffset();
        main.accept(written.subList(mainOffset, written.size()), true, Instant.now());
        second.accept(written.subList(secondOffset, written.size()), true, Instant.now());
        // Longer and longer, so that a slow machine gets on too.
        int turns = random.nextInt(300 + 50 * runs++);
        for (int turn = 0; turn < turns; turn++) {
          main.accept(List.of(), true, Instant.now());
          second.accept(List.of(), true, Instant.now());
          Thread.sleep(1);
        }
        if (random.nextBoolean()) {
          killer().join();
        }
      }
    }
    assertSame();
  }

  @Test
  void aLaneStartedAgainWhileItsLastWindowStillWaitsForALockRepeatsNoChange() throws Exception {
    transaction(audit("a"), item(1));
    Checkpoint claimed = claim();
    LaneId catchUp = LaneId.catchUp(RandomItems.AUDIT.table());
    addLane(claimed, catchUp);
    try (Connection other = postgres.connect("target")) {
      other.setAutoCommit(false);
      try (Statement lock = other.createStatement()) {
        lock.execute("LOCK TABLE shop.audit");
      }
      SinkPipeline first = start(claimed, catchUp);
      first.accept(written, true, Instant.now());
      await()
          .until(
              () -> {
                first.accept(List.of(), true, Instant.now());
                return isWaitingForALock();
              });
      first.close(Duration.ofMillis(100));
      transaction(audit("b"));
      try (SinkPipeline again = start(claimed, catchUp)) {
        again.accept(written, true, Instant.now());
        again.accept(List.of(), true, Instant.now());
        other.rollback();
        give(again, written.size());
        again.drainAndStop();
      }
    }
    assertThat(audit()).containsExactly("a", "b");
  }

  private static ChangeEvent[] withDdl(ChangeEvent... changes) {
    List<ChangeEvent> all = new ArrayList<>(List.of(changes));
    all.add(all.size() / 2, DDL);
    return all.toArray(ChangeEvent[]::new);
  }

  /** Patient, because a build machine may be busy. */
  private static ConditionFactory await() {
    return Awaitility.await().atMost(Duration.ofMinutes(5));
  }

  private static boolean isWaitingForALock() throws SQLException {
    return !query(
            "SELECT 'waits' FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                + " AND application_name = 'sluice test'")
        .isEmpty();
  }

  private static boolean reaches(SinkPipeline pipeline, long upTo) {
    pipeline.accept(List.of(), true, Instant.now());
    return pipeline.progress().apply().applied().position().equals(new Position(upTo));
  }

  private static Thread killer() {
    Thread killer =
        new Thread(
            () -> {
              try (Connection other = postgres.connect("target");
                  Statement statement = other.createStatement()) {
                statement.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                        + " WHERE application_name = 'sluice test'");
              } catch (SQLException e) {
                throw new IllegalStateException(e);
              }
            });
    killer.start();
    return killer;
  }

  private void acceptSome(SinkPipeline pipeline, long offset, Random random) {
    int end = (int) Math.min(written.size(), offset + 1 + random.nextInt(100));
    pipeline.accept(written.subList((int) offset, end), true, Instant.now());
    pipeline.accept(List.of(), true, Instant.now());
  }

  /** The source as it was after so many transactions. */
  private static List<String> rowsAt(int transactions) {
    RandomItems again = new RandomItems(7);
    for (int i = 0; i < transactions; i++) {
      again.transaction(1 + i % 20, 30);
    }
    return again.rows();
  }

  private void write(int transactions) {
    for (int i = 0; i < transactions; i++) {
      transaction(source.transaction(1 + i % 20, 30));
    }
  }

  private void transaction(ChangeEvent... changes) {
    position += 16;
    journal.transaction(position, changes);
    written.addAll(journal.next());
  }

  private static RowChange audit(String line) {
    return new RowChange(RandomItems.AUDIT, null, RowBuilder.rowOf(line));
  }

  private static RowChange item(int id) {
    return new RowChange(RandomItems.ITEMS, null, RowBuilder.rowOf("" + id, "" + id, "wide"));
  }

  /** Gives all that is left and waits until it is applied. */
  private void give(SinkPipeline pipeline, long offset) {
    pipeline.accept(written.subList((int) offset, written.size()), true, Instant.now());
    await()
        .until(
            () -> {
              pipeline.accept(List.of(), true, Instant.now());
              return pipeline.progress().state() == SinkState.RUNNING
                  && pipeline.progress().intake().backlogChanges() == 0;
            });
  }

  private SinkPipeline start(Checkpoint claimed, LaneId id) {
    TableFilter items = TableFilter.only(Set.of(ITEMS));
    boolean hasItems = id.equals(SECOND) || id.equals(LaneId.catchUp(ITEMS));
    TableFilter tables = hasItems ? items : TableFilter.not(items);
    Lane lane = new Lane(id, tables, () -> bound, meeting, ChangeObserver.Factory.NONE);
    JournalOffset place = id.isMain() ? claimed.place() : lane(id).place();
    BatchApplier applier =
        new BatchApplier(
            server,
            LaneStart.of(claimed, lane, place, new SuspendedTables(CONTROL, "task").read(server)),
            table -> table,
            new JournalReplay(this::open, SCHEMAS),
            new ApplySettings(policies.with(ControlTablesSettings.HISTORY_TABLE_ENABLED, true)),
            Clock.systemUTC());
    SinkSettings settings = settings(id);
    return SinkPipeline.start(lane, () -> settings, place, SCHEMAS, applier);
  }

  private JournalRecords.Reading open(long offset) {
    Iterator<JournalEntry> entries = written.listIterator((int) offset);
    return new JournalRecords.Reading() {
      @Override
      public JournalEntry next() {
        return entries.next();
      }

      @Override
      public void close() {}
    };
  }

  private SinkSettings settings(LaneId lane) {
    TaskSettings settings =
        TaskSettings.DEFAULTS
            .with(ChangeProcessingTuning.BATCH_APPLY_PRESERVE_TRANSACTION, false)
            .with(ChangeProcessingTuning.BATCH_APPLY_TIMEOUT_MIN, LeastWindowTime.of(Duration.ZERO))
            .with(ChangeProcessingTuning.BATCH_APPLY_TIMEOUT_MAX, Duration.ofSeconds(1))
            .with(ChangeProcessingTuning.BATCH_APPLY_MEMORY_LIMIT, DataSize.ofBytes(20_000))
            .with(ChangeProcessingTuning.MIN_TRANSACTION_SIZE, 50)
            .with(ChangeProcessingTuning.COMMIT_TIMEOUT, Duration.ZERO)
            .with(ChangeProcessingTuning.MEMORY_LIMIT_TOTAL, DataSize.ofBytes(50_000))
            .with(SluiceSettings.READY_THRESHOLD, 100)
            .with(SluiceSettings.DURABLE_COMMIT_INTERVAL, durableEvery)
            .with(ErrorBehavior.RECOVERABLE_ERROR_INTERVAL, Duration.ofMillis(5))
            .with(ErrorBehavior.RECOVERABLE_ERROR_THROTTLING, false);
    return new SinkSettings(
        "task",
        settings,
        directory.resolve(lane.text()),
        DataSize.ofMebibytes(1024),
        BatchApplyOverrides.NONE);
  }

  private static void addLane(Checkpoint claimed, LaneId id) {
    LaneCheckpoint lane =
        LaneCheckpoint.startingAt(id, List.of(ITEMS), JournalOffset.beginning(Position.ZERO));
    change(claimed, "add a lane", connection -> lanes.add(connection, claimed, List.of(lane)));
  }

  private static void change(Checkpoint claimed, String what, CheckpointStore.Change change) {
    new CheckpointStore(server, CONTROL).change(claimed, what, change);
  }

  private static Checkpoint claim() {
    return new CheckpointStore(server, CONTROL).claim("task");
  }

  private static Checkpoint main() {
    return new CheckpointStore(server, CONTROL).read("task").orElseThrow();
  }

  private static LaneCheckpoint second() {
    return lane(SECOND);
  }

  private static LaneCheckpoint lane(LaneId id) {
    return lanes.read("task").stream()
        .filter(lane -> lane.lane().equals(id))
        .findFirst()
        .orElseThrow();
  }

  private void assertSame() throws SQLException {
    assertThat(items()).isEqualTo(source.rows());
    assertThat(audit()).isEqualTo(source.auditRows());
    assertThat(main().position()).isEqualTo(new Position(position));
    assertThat(second().place().position()).isEqualTo(new Position(position));
  }

  private static List<String> items() throws SQLException {
    return query("SELECT concat_ws('|', id, code, wide) FROM shop.items ORDER BY id");
  }

  private static List<String> audit() throws SQLException {
    return query("SELECT what FROM shop.audit ORDER BY what COLLATE \"C\"");
  }

  private static void run(String statement) throws SQLException {
    try (Statement jdbc = sql.createStatement()) {
      jdbc.execute(statement);
    }
  }

  private static List<String> query(String text) throws SQLException {
    try (Statement jdbc = sql.createStatement();
        ResultSet row = jdbc.executeQuery(text)) {
      List<String> values = new ArrayList<>();
      while (row.next()) {
        values.add(row.getString(1));
      }
      return values;
    }
  }
}
