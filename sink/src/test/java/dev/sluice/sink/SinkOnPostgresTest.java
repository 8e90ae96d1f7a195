package dev.sluice.sink;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.settings.BatchApplyOverrides;
import dev.sluice.config.settings.ChangeProcessingTuning;
import dev.sluice.config.settings.ControlTablesSettings;
import dev.sluice.config.settings.DataSize;
import dev.sluice.config.settings.ErrorBehavior;
import dev.sluice.config.settings.LeastWindowTime;
import dev.sluice.config.settings.SluiceSettings;
import dev.sluice.config.settings.TargetMetadata;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.SchemaLookup;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.sink.apply.BatchApplier;
import dev.sluice.sink.apply.LaneStart;
import dev.sluice.sink.apply.plan.ApplySettings;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.schema.CheckpointStore;
import dev.sluice.sink.control.suspension.SuspendedTables;
import dev.sluice.sink.intake.JournalEntry;
import dev.sluice.sink.progress.ApplyProgress;
import dev.sluice.sink.progress.SinkState;
import dev.sluice.sink.replay.JournalRecords;
import dev.sluice.sink.replay.JournalReplay;
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
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole sink, from journal records to rows of a real PostgreSQL. */
final class SinkOnPostgresTest {
  private static final String CONTROL = "sluice_control";
  private static final SchemaLookup SCHEMAS =
      fingerprint ->
          fingerprint == RandomItems.ITEMS.fingerprint() ? RandomItems.ITEMS : RandomItems.AUDIT;

  @TempDir Path directory;

  private static EmbeddedPostgres postgres;
  private static Connection sql;
  private static TargetServer server;

  private final JournalScript journal = new JournalScript().term(1, 0);
  private final List<JournalEntry> written = new ArrayList<>();
  private RandomItems source;
  private TaskSettings policies = TaskSettings.DEFAULTS;
  private Position position = Position.ZERO;
  private long changes;

  @BeforeAll
  static void startServer() throws SQLException {
    postgres = EmbeddedPostgres.start();
    postgres.createDatabase("target");
    sql = postgres.connect("target");
    server =
        TargetServers.postgres(postgres.jdbcUrl("target"), "postgres", null, "sluice test", 50);
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
    new CheckpointStore(server, CONTROL).create();
  }

  @Test
  void inBatchModeTheTargetHasTheSourcesRows() throws Exception {
    source = new RandomItems(1);
    for (int i = 0; i < 300; i++) {
      write(1 + i % 20, 30);
    }
    try (SinkPipeline pipeline = start(settings(true, 40_000))) {
      give(pipeline, 0);
      pipeline.drainAndStop();
    }
    assertSame();
  }

  @Test
  void inTransactionalModeTheTargetHasTheSourcesRows() throws Exception {
    source = new RandomItems(2);
    for (int i = 0; i < 100; i++) {
      write(1 + i % 20, 30);
    }
    try (SinkPipeline pipeline = start(settings(false, 10_000_000))) {
      give(pipeline, 0);
      pipeline.drainAndStop();
    }
    assertSame();
  }

  @Test
  void positionsOfMoreThan64BitsAreCommittedWithTheRows() throws Exception {
    source = new RandomItems(4);
    position = new Position(7, -100);
    for (int part = 0; part < 3; part++) {
      int offset = written.size();
      for (int i = 0; i < 20; i++) {
        write(1 + i % 20, 30);
      }
      try (SinkPipeline pipeline = start(settings(true, 4_000))) {
        // What comes again is recognized by its position.
        give(pipeline, part == 2 ? 0 : offset);
        pipeline.drainAndStop();
      }
      assertThat(checkpoint().orElseThrow().position()).isEqualTo(position);
    }
    assertThat(position).isEqualTo(new Position(8, 860));
    assertSame();
  }

  @Test
  void aTransactionLargerThanAllMemoryGoesThroughSwapInRounds() throws Exception {
    source = new RandomItems(3);
    write(10, 30);
    write(5_000, 800);
    write(10, 30);
    try (SinkPipeline pipeline = start(settings(true, 100_000))) {
      give(pipeline, 0);
      assertThat(pipeline.progress().intake().transactionsSpilled().total()).isEqualTo(1);
      pipeline.drainAndStop();
      assertThat(pipeline.progress().apply().failure()).isEmpty();
    }
    assertSame();
  }

  @Test
  void connectionsThatBreakAndTasksThatAreKilledNeitherLoseNorRepeatAChange() throws Exception {
    source = new RandomItems(4);
    for (int i = 0; i < 60; i++) {
      write(1 + i % 20, 30);
    }
    Random random = new Random(4);
    int runs = 0;
    boolean finished = false;
    while (!finished) {
      runs++;
      int offset = (int) checkpoint().map(Checkpoint::nextOffset).orElse(0L).longValue();
      // So few at a time that one run cannot take them all.
      int end = Math.min(written.size(), offset + 1 + random.nextInt(written.size() / 3));
      try (SinkPipeline pipeline = start(settings(true, 20_000))) {
        Thread killer = killer();
        finished = end == written.size();
        if (finished) {
          give(pipeline, offset);
          killer.join();
          drainAndStop(pipeline);
        } else {
          // Closed while a window is applied and, mostly, a transaction is open.
          pipeline.accept(written.subList(offset, end), true, Instant.now());
          killer.join();
        }
      }
    }
    assertThat(runs).isGreaterThan(2);
    assertSame();
  }

  @Test
  void rejectedChangesAreRecordedOnceAndTheRestIsCompleteWhenConnectionsBreakAndTasksAreKilled()
      throws Exception {
    policies = TaskSettings.parse("policies", "{\"Sluice\": {\"ErrorProfile\": \"dms-defaults\"}}");
    run("INSERT INTO shop.items SELECT g, 100000 + g, 'foreign' FROM generate_series(0, 29, 3) g");
    source = new RandomItems(5);
    for (int i = 0; i < 60; i++) {
      write(1 + i % 20, 30);
    }
    Random random = new Random(5);
    boolean finished = false;
    while (!finished) {
      int offset = (int) checkpoint().map(Checkpoint::nextOffset).orElse(0L).longValue();
      int end = Math.min(written.size(), offset + 1 + random.nextInt(100));
      try (SinkPipeline pipeline = start(settings(random.nextBoolean(), 20_000))) {
        Thread killer = killer();
        finished = end == written.size();
        if (finished) {
          give(pipeline, offset);
          killer.join();
          drainAndStop(pipeline);
        } else {
          pipeline.accept(written.subList(offset, end), true, Instant.now());
          killer.join();
        }
      }
    }
    String exceptions = " FROM " + CONTROL + ".sluice_apply_exceptions";
    assertThat(query("SELECT count(*) > 0" + exceptions)).containsExactly("t");
    assertThat(
            query(
                "SELECT source_table || position || change_number"
                    + exceptions
                    + " GROUP BY 1 HAVING count(*) > 1 OR bool_or(source_table <> 'items')"))
        .isEmpty();
    assertThat(query("SELECT what FROM shop.audit ORDER BY what COLLATE \"C\""))
        .isEqualTo(source.auditRows());
    assertThat(
            query(
                "SELECT sum(inserts + updates + deletes) FROM "
                    + CONTROL
                    + ".sluice_history WHERE source_table = ''"))
        .containsExactly(Long.toString(changes));
    assertThat(checkpoint().orElseThrow().position()).isEqualTo(position);
  }

  /** Patient, because a build machine may be busy. */
  private static ConditionFactory await() {
    return Awaitility.await().atMost(Duration.ofMinutes(5));
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

  private void write(int steps, int ids) {
    for (int i = 0; i < 16; i++) {
      position = position.next();
    }
    ChangeEvent[] transaction = source.transaction(steps, ids);
    changes += Stream.of(transaction).filter(RowChange.class::isInstance).count();
    journal.transaction(position, written.size() * 16_000L, transaction);
    written.addAll(journal.next());
  }

  /** Gives all that is left and waits until it is applied. */
  private void give(SinkPipeline pipeline, int offset) {
    pipeline.accept(written.subList(offset, written.size()), true, Instant.now());
    await()
        .until(
            () -> {
              pipeline.accept(List.of(), true, Instant.now());
              return pipeline.progress().state() == SinkState.RUNNING
                  && pipeline.progress().intake().backlogChanges() == 0;
            });
  }

  /** Whoever drains tries nothing again: the last connection may have been broken meanwhile. */
  private static void drainAndStop(SinkPipeline pipeline) {
    await()
        .until(
            () -> {
              ApplyProgress progress = pipeline.progress().apply();
              return progress.durable().equals(progress.applied());
            });
    pipeline.drainAndStop();
  }

  private SinkPipeline start(SinkSettings settings) {
    Checkpoint claimed = new CheckpointStore(server, CONTROL).claim("task");
    BatchApplier applier =
        new BatchApplier(
            server,
            LaneStart.whole(claimed, new SuspendedTables(CONTROL, "task").read(server)),
            table -> table,
            new JournalReplay(this::open, SCHEMAS),
            new ApplySettings(policies.with(ControlTablesSettings.HISTORY_TABLE_ENABLED, true)),
            Clock.systemUTC());
    return SinkPipeline.start(() -> settings, claimed.place(), SCHEMAS, applier);
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

  private static Optional<Checkpoint> checkpoint() {
    return new CheckpointStore(server, CONTROL).read("task");
  }

  private SinkSettings settings(boolean batch, long windowBytes) {
    TaskSettings settings =
        TaskSettings.DEFAULTS
            .with(ChangeProcessingTuning.BATCH_APPLY_TIMEOUT_MIN, LeastWindowTime.of(Duration.ZERO))
            .with(ChangeProcessingTuning.BATCH_APPLY_TIMEOUT_MAX, Duration.ofSeconds(1))
            .with(ChangeProcessingTuning.BATCH_APPLY_MEMORY_LIMIT, DataSize.ofBytes(windowBytes))
            .with(ChangeProcessingTuning.MIN_TRANSACTION_SIZE, 50)
            .with(ChangeProcessingTuning.COMMIT_TIMEOUT, Duration.ZERO)
            .with(ChangeProcessingTuning.MEMORY_LIMIT_TOTAL, DataSize.ofBytes(50_000))
            .with(TargetMetadata.BATCH_APPLY_ENABLED, batch)
            .with(SluiceSettings.READY_THRESHOLD, 100)
            .with(SluiceSettings.DURABLE_COMMIT_INTERVAL, Duration.ofMillis(200))
            .with(ErrorBehavior.RECOVERABLE_ERROR_INTERVAL, Duration.ofMillis(5))
            .with(ErrorBehavior.RECOVERABLE_ERROR_THROTTLING, false);
    return new SinkSettings(
        "task",
        settings,
        directory.resolve("swap"),
        DataSize.ofMebibytes(1024),
        BatchApplyOverrides.NONE);
  }

  private void assertSame() throws SQLException {
    assertThat(query("SELECT concat_ws('|', id, code, wide) FROM shop.items ORDER BY id"))
        .isEqualTo(source.rows());
    assertThat(query("SELECT what FROM shop.audit ORDER BY what COLLATE \"C\""))
        .isEqualTo(source.auditRows());
    assertThat(checkpoint().orElseThrow().position()).isEqualTo(position);
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
