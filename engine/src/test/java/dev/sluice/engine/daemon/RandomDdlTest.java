package dev.sluice.engine.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.check.TaskChecks;
import dev.sluice.engine.ddl.RandomApplication;
import dev.sluice.engine.ddl.SidesComparison;
import dev.sluice.engine.ddl.TwinSession;
import dev.sluice.engine.status.SuspendedStatus;
import dev.sluice.engine.status.TaskControl;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random DDL and DML in several sessions on tables that a task replicates. No statement fails
 * because of the task, the daemon continues, and each table is equal on both sides or reported.
 */
@ExtendWith(SharedBroker.class)
class RandomDdlTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final long SEED = Long.getLong("sluice.seed", 20261122L);

  /** In the build, enough for one restart in between. */
  private static final int STATEMENTS = Integer.getInteger("sluice.ddl.statements", 180);

  /** After so many, new databases are used, since tables that cannot be followed accumulate. */
  private static final int STATEMENTS_OF_A_ROUND = 300;

  private static final int STATEMENTS_BETWEEN_LOOKS = 60;

  /** The tables with which the task starts. */
  private static final List<String> BEGINNING =
      List.of(
          "CREATE SCHEMA one",
          "CREATE SCHEMA two",
          "CREATE TYPE one.mood AS ENUM ('a', 'b', 'it''s')",
          "CREATE TABLE one.whole (id int PRIMARY KEY, c1 one.mood) PARTITION BY RANGE (id)",
          "CREATE TABLE one.low PARTITION OF one.whole FOR VALUES FROM (0) TO (10)",
          "CREATE TABLE two.parent (id serial PRIMARY KEY, c1 text, c2 int DEFAULT 7)",
          "CREATE TABLE two.child (PRIMARY KEY (id)) INHERITS (two.parent)",
          "INSERT INTO two.parent (c1) VALUES ('x'), ('y')",
          "INSERT INTO one.whole VALUES (1, 'a'), (2, NULL)");

  private static EmbeddedPostgres source;
  private static EmbeddedPostgres target;

  @TempDir Path folder;

  @BeforeAll
  static void startServers() {
    source = EmbeddedPostgres.builder().setting("autovacuum", "off").start();
    target = EmbeddedPostgres.start();
  }

  @AfterAll
  static void stopServers() {
    source.close();
    target.close();
  }

  @Test
  void theApplicationNeverFailsBecauseOfSluiceAndEachTableIsEqualOrReported() throws Exception {
    int left = STATEMENTS;
    for (long seed = SEED; left > 0; seed++) {
      int statements = Math.min(left, STATEMENTS_OF_A_ROUND);
      left -= statements;
      round(seed, statements);
    }
  }

  private void round(long seed, int statements) throws Exception {
    String name = "ddl_" + seed;
    source.createDatabase(name + "_twin");
    DdlTask task =
        DdlTask.make(folder, name, source, target, "")
            .withErrors(", DataErrorPolicy: SUSPEND_TABLE, TableErrorPolicy: SUSPEND_TABLE");
    List<TwinSession> sessions = sessions(task);
    RandomApplication application = new RandomApplication(seed, sessions);
    try {
      application.run(BEGINNING);
      int done = 0;
      while (done < statements) {
        try (RunningDaemon running = RunningDaemon.start(task.config())) {
          running.awaitPhase("replicating");
          for (int look = 0; look < 2 && done < statements; look++) {
            application.run(STATEMENTS_BETWEEN_LOOKS);
            done += STATEMENTS_BETWEEN_LOOKS;
            assertEachTableIsEqualOrNamed(task, running);
          }
        }
      }
      assertThat(application.succeeded()).isGreaterThan(statements / 4);
    } catch (AssertionError | Exception e) {
      throw new AssertionError("seed " + seed + ":\n" + String.join("\n", application.done()), e);
    } finally {
      for (TwinSession session : sessions) {
        session.close();
      }
    }
  }

  private static List<TwinSession> sessions(DdlTask task) throws SQLException {
    List<TwinSession> sessions = new ArrayList<>();
    for (String name : List.of("a", "b", "c")) {
      Connection twin = source.connect(task.name() + "_twin");
      Connection replicated = source.connect(task.name());
      sessions.add(new TwinSession(name, twin, replicated));
      if (name.equals("a")) {
        try (var statement = twin.createStatement()) {
          statement.execute(
              "CREATE TABLE item (id int PRIMARY KEY, name text, price numeric(10,2))");
        }
        twin.commit();
      }
    }
    return sessions;
  }

  private void assertEachTableIsEqualOrNamed(DdlTask task, RunningDaemon running) throws Exception {
    TaskControl.Outcome fence = running.daemon().fence(PATIENCE, true);
    if (running.end().isCompletedExceptionally()) {
      running.awaitEnd();
    }
    assertThat(fence.message()).startsWith("applied");
    Set<String> suspended =
        running.daemon().status().suspended().stream()
            .map(table -> table.schema() + "." + table.table())
            .collect(Collectors.toSet());
    String named = String.join("\n", TaskChecks.of(task.config()).findings().notes());
    try (Connection one = source.connect(task.name());
        Connection other = target.connect(task.name())) {
      SidesComparison comparison = new SidesComparison(one, other);
      List<String> differences = comparison.differences(suspended);
      assertThat(differences)
          .as(
              "suspended: %s",
              running.daemon().status().suspended().stream().map(SuspendedStatus::reason).toList())
          .isEmpty();
      assertThat(comparison.notFollowed()).allSatisfy(table -> assertThat(named).contains(table));
    }
  }
}
