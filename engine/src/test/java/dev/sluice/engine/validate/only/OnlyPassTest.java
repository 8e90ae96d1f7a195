package dev.sluice.engine.validate.only;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.retry.Retries;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.daemon.DdlTask;
import dev.sluice.engine.validate.only.OnlyPass.Sides;
import dev.sluice.engine.validate.only.OnlyResult.Verdict;
import dev.sluice.engine.validate.session.ComparisonPlan;
import dev.sluice.engine.validate.session.ComparisonSession;
import dev.sluice.engine.validate.session.SessionFindings;
import dev.sluice.engine.validate.session.SessionLimits;
import dev.sluice.sink.control.validation.RowFailure;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The pass over both sides of a real pair, with writes between its sessions. */
class OnlyPassTest {
  private static final Duration NO_TIME = Duration.ofMillis(1);

  /** However slow the machine is. */
  private static final Duration LONG = Duration.ofMinutes(5);

  private static EmbeddedPostgres source;
  private static EmbeddedPostgres target;

  @TempDir Path folder;

  private final Map<String, RowFailure> listed = new TreeMap<>();

  @BeforeAll
  static void startServers() {
    source = EmbeddedPostgres.start();
    target = EmbeddedPostgres.start();
  }

  @AfterAll
  static void stopServers() {
    source.close();
    target.close();
  }

  /** A statement on the source after a session, by its number from 1 on. */
  private interface Between {
    void after(int session) throws SQLException;
  }

  @Test
  void aRowThatTheTargetHasAtTheSecondCheckIsEqual() throws Exception {
    Pair pair = pair("catches_up", "");
    pair.task.onSource("UPDATE item SET price = 2 WHERE id = 3");

    OnlyResult result =
        compare(
            pair,
            session -> {
              if (session == 1) {
                pair.onCopy("UPDATE item SET price = 2 WHERE id = 3");
              }
            });

    assertThat(result.verdict()).as(result.toString()).isEqualTo(Verdict.EQUAL);
    assertThat(listed).isEmpty();
  }

  @Test
  void aRowThatDiffersInAnotherWayAtTheSecondCheckIsNotProvenAndStaysListed() throws Exception {
    Pair pair = pair("keeps_changing", "");
    pair.task.onSource("UPDATE item SET price = 2 WHERE id = 3");

    OnlyResult result =
        compare(
            pair,
            session -> {
              if (session == 1) {
                pair.task.onSource("UPDATE item SET price = 4 WHERE id = 3");
              }
            });

    assertThat(result.verdict()).as(result.toString()).isEqualTo(Verdict.NOT_PROVEN);
    assertThat(result.lines()).anyMatch(line -> line.contains("1 row changed between two checks"));
    assertThat(listed).containsOnlyKeys("{\"id\":\"3\"}");
  }

  @Test
  void aRowThatDiffersInBothChecksIsNotEqual() throws Exception {
    Pair pair = pair("differs", "");
    pair.task.onSource("DELETE FROM item WHERE id = 3");

    OnlyResult result = compare(pair, session -> {});

    assertThat(result.verdict()).isEqualTo(Verdict.NOT_EQUAL);
    assertThat(result.lines())
        .anyMatch(line -> line.contains("0 differ, 0 missing, 1 extra: [{\"id\":\"3\"}]"));
  }

  @Test
  void atFailureMaxCountNoFurtherTableIsRead() throws Exception {
    Pair pair = pair("too_many", "FailureMaxCount: 5");
    pair.task.onSource(
        "UPDATE item SET price = 0 WHERE id <= 5", "CREATE TABLE z (id int PRIMARY KEY)");
    pair.onCopy("CREATE TABLE z (id int PRIMARY KEY)");
    // One table in each session.
    OnlyResult result = compareBy(pair, plans -> session(pair, plans.subList(0, 1)));

    assertThat(result.verdict()).as(result.toString()).isEqualTo(Verdict.NOT_EQUAL);
    assertThat(result.lines())
        .anyMatch(
            line ->
                line.startsWith("public.z: not read to its end")
                    && line.contains("FailureMaxCount is 5"));
  }

  @Test
  void aSessionThatFailsIsTriedAgainAndAnotherFailureEndsThePass() throws Exception {
    Pair pair = pair("unreachable", "");
    int[] failures = {0};
    Sides failingOnce =
        plans -> {
          if (failures[0]++ == 0) {
            throw new SluiceException.Retryable("the server is away", null);
          }
          return session(pair, plans);
        };

    assertThat(compareBy(pair, failingOnce).verdict()).isEqualTo(Verdict.EQUAL);
    assertThatThrownBy(
            () ->
                compareBy(
                    pair,
                    plans -> {
                      throw new SluiceException.Fatal("the password is wrong", null);
                    }))
        .hasMessage("the password is wrong");
  }

  @Test
  void aSessionWhoseTimeIsOverBeforeItReadsIsFollowedByAnother() throws Exception {
    Pair pair = pair("no_time", "");
    int[] sessions = {0};

    OnlyResult result =
        compareBy(
            pair, plans -> session(pair, lasting(sessions[0]++ == 0 ? NO_TIME : LONG), plans));

    assertThat(result.verdict()).as(result.toString()).isEqualTo(Verdict.EQUAL);
    assertThat(sessions[0]).isGreaterThan(1);
  }

  @Test
  void withoutATableNothingIsProven() throws Exception {
    Pair pair = pair("no_table", "");
    pair.task.onSource("DROP TABLE item");

    assertThat(compare(pair, session -> {}).verdict()).isEqualTo(Verdict.NOT_PROVEN);
  }

  private OnlyResult compare(Pair pair, Between between) throws InterruptedException {
    int[] sessions = {0};
    return compareBy(
        pair,
        plans -> {
          SessionFindings found = session(pair, plans);
          try {
            between.after(++sessions[0]);
          } catch (SQLException e) {
            throw new IllegalStateException(e);
          }
          return found;
        });
  }

  private static SessionFindings session(Pair pair, List<ComparisonPlan> plans)
      throws InterruptedException {
    return session(pair, lasting(LONG), plans);
  }

  private static SessionLimits lasting(Duration life) {
    SessionLimits limits = SessionLimits.DEFAULT;
    return new SessionLimits(
        life,
        100,
        limits.touchedKeys(),
        limits.differences(),
        limits.keysLeftOut(),
        limits.checkpointTimeout(),
        limits.lanes());
  }

  private static SessionFindings session(
      Pair pair, SessionLimits limits, List<ComparisonPlan> plans) throws InterruptedException {
    return ComparisonSession.withoutJournal(
            pair.context.source().comparison(),
            pair.context.target().comparison(),
            pair.context.config().tableMappings(),
            limits)
        .runAsTheyAre(plans);
  }

  private OnlyResult compareBy(Pair pair, Sides sides) throws InterruptedException {
    return new OnlyPass(
            pair.context.config().tableMappings(),
            pair.context.config().taskSettings(),
            sides,
            (table, found, equal) -> {
              equal.forEach(listed::remove);
              found.forEach(failure -> listed.put(failure.key(), failure));
            },
            new Retries(pair.context.retryPolicy(), Clock.systemUTC()),
            Clock.systemUTC())
        .compare(
            pair.context.source().catalog(pair.context.config().tableMappings()::selects).tables(),
            List.of());
  }

  /** Two databases with the same rows. */
  private record Pair(DdlTask task, TaskContext context) {
    void onCopy(String... statements) throws SQLException {
      task.onTarget(statements);
    }
  }

  private Pair pair(String name, String validation) throws Exception {
    DdlTask task =
        DdlTask.make(folder, name, source, target, "ValidationSettings: { " + validation + " }");
    task.onTarget("CREATE TABLE item (id int PRIMARY KEY, name text, price numeric(10,2))");
    String rows = "INSERT INTO item SELECT i, 'name ' || i, i FROM generate_series(1, 1000) i";
    task.onSource(rows);
    task.onTarget(rows);
    return new Pair(task, TaskContext.of(task.config()));
  }
}
