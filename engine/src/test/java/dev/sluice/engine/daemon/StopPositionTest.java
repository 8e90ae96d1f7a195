package dev.sluice.engine.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.task.CdcStop;
import dev.sluice.config.task.CdcStop.AtCommitTime;
import dev.sluice.config.task.CdcStop.AtPosition;
import dev.sluice.config.task.CdcStop.AtServerTime;
import dev.sluice.config.task.CdcStop.Now;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.Sql;
import dev.sluice.engine.TwoServers;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A task that stops by itself has applied all transactions up to there, and none behind. */
@ExtendWith(SharedBroker.class)
@Timeout(300)
class StopPositionTest {
  private static final int ROWS = 50;

  @RegisterExtension static final TwoServers SERVERS = new TwoServers();

  @TempDir Path folder;

  @Test
  void atAPositionNothingBehindItIsAppliedAndALaterStartGoesOn() throws Exception {
    DdlTask task = loaded("positioned");
    insert(task, 1);
    String position = onSource(task, "SELECT pg_current_wal_insert_lsn()::text");
    insert(task, 2);
    runUntil(task, new AtPosition(position));
    assertThat(applied(task)).isEqualTo("1:" + ROWS);
    // Again it stops at once, with nothing more.
    runUntil(task, new AtPosition(position));
    assertThat(applied(task)).isEqualTo("1:" + ROWS);
    runUntil(task, new Now());
    assertThat(applied(task)).isEqualTo("1:" + ROWS + ",2:" + ROWS);
  }

  @Test
  void atTheEndOfALogThatRestsATaskStops() throws Exception {
    DdlTask task = loaded("resting");
    insert(task, 1);
    runUntil(task, new AtPosition(onSource(task, "SELECT pg_current_wal_insert_lsn()::text")));
    assertThat(applied(task)).isEqualTo("1:" + ROWS);
  }

  @Test
  void atATimeOfCommitsAllLanesStopBeforeTheFirstLaterTransaction() throws Exception {
    DdlTask task =
        loaded(
            "committed",
            "TargetMetadata: { ParallelApplyThreads: 2 }",
            ", BatchApplyPreserveTransaction: false");
    insert(task, 1);
    Instant time = Instant.parse(onSource(task, clock()));
    insert(task, 2);
    runUntil(task, new AtCommitTime(time));
    assertThat(applied(task)).isEqualTo("1:" + ROWS);
  }

  @Test
  void atATimeOfTheSourcesClockWhatWasCommittedUntilThenIsApplied() throws Exception {
    DdlTask task = loaded("clocked");
    insert(task, 1);
    Instant time = Instant.parse(onSource(task, clock())).plusSeconds(5);
    runUntil(task, new AtServerTime(time));
    assertThat(applied(task)).isEqualTo("1:" + ROWS);
    assertThat(Instant.parse(onSource(task, clock()))).isAfter(time);
  }

  private static String clock() {
    return "SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')";
  }

  /** Loaded, and stopped once it follows the source. */
  private DdlTask loaded(String name) throws Exception {
    return loaded(name, "", "");
  }

  private DdlTask loaded(String name, String setting, String tuning) throws Exception {
    DdlTask task =
        DdlTask.make(folder, name, SERVERS.source(), SERVERS.target(), setting).withTuning(tuning);
    task.onSource("CREATE TABLE other (id int PRIMARY KEY, name text)");
    RunningDaemon.replicating(task.config()).close();
    return task;
  }

  /** Transactions of one row in each of both tables. */
  private static void insert(DdlTask task, int part) throws Exception {
    for (int row = 0; row < ROWS; row++) {
      int id = part * 1_000 + row;
      task.onSource(
          "BEGIN; INSERT INTO item VALUES (%1$d, '%2$d', 1); INSERT INTO other VALUES (%1$d, '%2$d'); COMMIT"
              .formatted(id, part));
    }
  }

  private static void runUntil(DdlTask task, CdcStop stop) throws Exception {
    TaskConfig config = task.config().stoppingAt(stop);
    RunningDaemon.start(config).awaitEnd();
  }

  private static String onSource(DdlTask task, String query) throws Exception {
    try (Connection connection = SERVERS.source().connect(task.name())) {
      return Sql.text(connection, query);
    }
  }

  /** How many rows of each part the tables have; both have the same. */
  private static String applied(DdlTask task) throws Exception {
    String rows =
        "SELECT string_agg(name || ':' || n, ',' ORDER BY name)"
            + " FROM (SELECT name, count(*) AS n FROM %s GROUP BY name) r";
    try (Connection connection = SERVERS.target().connect(task.name())) {
      String item = Sql.text(connection, rows.formatted("item"));
      assertThat(Sql.text(connection, rows.formatted("other"))).isEqualTo(item);
      return item;
    }
  }
}
