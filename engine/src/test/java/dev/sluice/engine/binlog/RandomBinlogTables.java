package dev.sluice.engine.binlog;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.task.TaskConfig;
import dev.sluice.embedded.mariadb.EmbeddedServer;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.TaskFolder;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Whatever tables, types and transactions a source has, the target ends equal, or the table is
 * suspended by name because a statement of DDL is not followed.
 *
 * <p>{@code -Dsluice.binlog.cases=100} makes a long run. {@code -Dsluice.seed=…} begins with the
 * round of that seed, whose statements are always the same; a failure prints them.
 */
@ExtendWith(SharedBroker.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class RandomBinlogTables {
  private static final long SEED = Long.getLong("sluice.seed", 20261128L);

  /** In the build, those of two rounds. */
  private static final int CASES = Integer.getInteger("sluice.binlog.cases", 20);

  /** So many are in one database, with one task. */
  private static final int CASES_OF_A_ROUND = 10;

  private static final int STEPS = 40;

  /** How changes are applied, by turns. */
  private static final List<String> WAYS =
      List.of(
          "ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1}",
          "ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1, BatchSplitSize: 3}",
          "ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1, BatchApplyPreserveTransaction: false},"
              + " TargetMetadata: {ParallelApplyThreads: 3}",
          "ChangeProcessingTuning: {CommitTimeout: 0.1}, TargetMetadata: {BatchApplyEnabled: false}");

  private final String type;
  private EmbeddedServer source;
  private EmbeddedPostgres target;

  RandomBinlogTables(String type) {
    this.type = type;
  }

  /** A server, unless there is none for this machine, which skips the test. */
  abstract EmbeddedServer start();

  @AfterAll
  void stop() {
    if (target != null) {
      target.close();
      source.close();
    }
  }

  @Test
  @Timeout(7200)
  void theTargetEndsEqualOrTheTableIsNamed(@TempDir Path folder) throws Exception {
    source = start();
    target = EmbeddedPostgres.start();
    int left = CASES;
    for (long seed = SEED; left > 0; seed++) {
      int cases = Math.min(left, CASES_OF_A_ROUND);
      left -= cases;
      round(folder.resolve("round" + seed), seed, cases);
    }
  }

  private void round(Path folder, long seed, int cases) throws Exception {
    String database = "round" + seed;
    try (BinlogRound round = new BinlogRound(source, target, database, seed, cases)) {
      try {
        round.run(config(folder, database, WAYS.get(Math.floorMod(seed, WAYS.size()))), STEPS);
      } catch (AssertionError | Exception e) {
        System.out.println(round.applications().told());
        throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
      }
      int tried = round.applications().tried();
      int succeeded = round.applications().succeeded();
      System.out.printf(
          "seed %d: %d of %d statements, %d of DDL, %d of XA, %d tables with foreign keys, %d with"
              + " indexes of beginnings, not followed: %s%n",
          seed,
          succeeded,
          tried,
          round.applications().altered(),
          round.applications().times("XA START", ""),
          round.applications().times("CREATE TABLE", ", FOREIGN KEY ("),
          round.applications().times("CREATE TABLE", "KEY `p"),
          round.notFollowed());
      assertThat(succeeded).as("of " + tried + " statements").isGreaterThan(tried / 2);
    }
  }

  private TaskConfig config(Path folder, String database, String way) throws Exception {
    return TaskFolder.of(folder, database, source.port(), target.port(), database, database)
        .replacing(
            "type: postgresql\n  url: postgresql://postgres@127.0.0.1:%d/%s\n  password: ${env:HOME}"
                .formatted(source.port(), database),
            "type: %s\n  url: %1$s://root@127.0.0.1:%d/%s".formatted(type, source.port(), database))
        .settings(
            "{FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE},"
                + " ErrorBehavior: {TableErrorPolicy: SUSPEND_TABLE, DataErrorPolicy: SUSPEND_TABLE,"
                + " RecoverableErrorInterval: 0.2}, "
                + way
                + "}")
        .config();
  }
}
