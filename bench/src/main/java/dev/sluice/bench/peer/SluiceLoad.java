package dev.sluice.bench.peer;

import dev.sluice.bench.server.Database;
import dev.sluice.config.TableId;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.config.settings.ChangeProcessingTuning;
import dev.sluice.config.settings.DataSize;
import dev.sluice.config.settings.FullLoadSettings;
import dev.sluice.config.settings.FullLoadSettings.PrepMode;
import dev.sluice.config.settings.SluiceSettings;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.TaskMark;
import dev.sluice.connector.postgres.PostgresReader;
import dev.sluice.connector.postgres.server.SourceServer;
import dev.sluice.engine.load.AttemptMarks;
import dev.sluice.engine.load.FullLoad;
import dev.sluice.engine.load.LoadAttempt;
import dev.sluice.engine.load.LoadOutcome;
import dev.sluice.engine.load.LoadPlan;
import dev.sluice.engine.load.LoadRoute;
import dev.sluice.engine.load.completion.CompletionSettings;
import dev.sluice.engine.load.completion.TableCompletion;
import dev.sluice.load.RowGuard;
import dev.sluice.load.log.CompletionStepStore;
import dev.sluice.load.log.LoadMarks;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.schema.CheckpointStore;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.target.kind.TargetServers;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A contender: Sluice's full load as a task runs it, with its progress on the target. Immutable.
 *
 * @param segment how large a part is that one worker reads
 */
public record SluiceLoad(List<String> tables, int workers, int commitRate, DataSize segment) {
  private static final String TASK = "bench";

  /** As many as a task's connections keep by default. */
  private static final int STATEMENTS = ChangeProcessingTuning.STATEMENT_CACHE_SIZE.defaultValue();

  private static final Duration TIMEOUT = Duration.ofMinutes(10);
  private static final String CONTROL = "sluice_control";

  /** The target has no rows of others; its tables carry the task's mark where they have one. */
  private static final RowGuard GUARD =
      new RowGuard(
          table -> true,
          true,
          (connection, tables) -> List.of(),
          Optional.of(TaskMark.ofName(TASK)));

  private static final String MAPPINGS =
      """
      {"rules": [{"rule-type": "selection", "rule-id": "1", "rule-name": "1", "rule-action":
        "include", "object-locator": {"schema-name": "public", "table-name": "%%"}},
        {"rule-type": "transformation", "rule-id": "2", "rule-name": "2", "rule-target": "schema",
        "object-locator": {"schema-name": "public"}, "rule-action": "rename", "value": "%s"}]}
      """;

  /** Copies the rows into tables that are there and empty. */
  public void rows(Database source, Database target) throws Exception {
    load(source, target, PrepMode.DO_NOTHING);
  }

  /** Makes the tables, copies the rows, and makes keys and indexes after them. */
  public void all(Database source, Database target) throws Exception {
    load(source, target, PrepMode.DROP_AND_CREATE);
  }

  private void load(Database source, Database target, PrepMode mode) throws Exception {
    TargetServer to = TargetServers.of(target.endpoint(), "bench", STATEMENTS);
    CheckpointStore checkpoints = new CheckpointStore(to, CONTROL);
    checkpoints.create();
    Checkpoint claimed = checkpoints.claim(TASK);
    LoadMarks marks = new LoadMarks(to, CONTROL, TASK);
    FullLoad load =
        new FullLoad(
            new LoadRoute(
                new PostgresReader(
                    new SourceServer(source.jdbcUrl(), Database.USER, null, "bench")),
                to,
                TableMappings.parse(
                    "mappings", MAPPINGS.formatted(target.schema()), Optional.empty())),
            tables.stream().map(table -> new TableId("public", table)).toList(),
            TaskSettings.DEFAULTS
                .with(FullLoadSettings.TARGET_TABLE_PREP_MODE, mode)
                .with(FullLoadSettings.CREATE_PK_AFTER_FULL_LOAD, true)
                .with(FullLoadSettings.MAX_FULL_LOAD_SUB_TASKS, workers)
                .with(FullLoadSettings.COMMIT_RATE, commitRate)
                .with(SluiceSettings.LOAD_SEGMENT_SIZE, segment),
            new CompletionSettings(
                new CompletionStepStore(to, CONTROL, TASK),
                workers,
                SluiceSettings.POST_LOAD_MEMORY.defaultValue(),
                true,
                true));
    load.guard(GUARD);
    LoadPlan plan = load.plan();
    load.prepare(plan, LoadAttempt.FIRST);
    marks.begin(claimed, new Position(1), plan.segmentsToLoad());
    try (Connection exporting = source.connect()) {
      exporting.setAutoCommit(false);
      exporting.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      String snapshot = Database.single(exporting, "SELECT pg_export_snapshot()");
      LoadOutcome outcome =
          load.load(plan, snapshot, AttemptMarks.in(marks, claimed.epoch()), Optional.empty());
      if (!(outcome instanceof LoadOutcome.Loaded)) {
        throw new IllegalStateException("the load ended with " + outcome);
      }
      try (TableCompletion completion = load.completion()) {
        while (mode == PrepMode.DROP_AND_CREATE && !completion.await(TIMEOUT)) {
          // Without a limit: the time of an index depends on its table.
        }
      }
    }
  }
}
