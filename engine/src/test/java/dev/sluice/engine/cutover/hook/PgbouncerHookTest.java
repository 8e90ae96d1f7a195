package dev.sluice.engine.cutover.hook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.document.Problem;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Against a pgbouncer of the machine; CONTRIBUTING says how to install it. */
class PgbouncerHookTest {
  private static final Duration LIMIT = Duration.ofMinutes(5);
  private static final Duration BUDGET = Duration.ofSeconds(30);

  private static EmbeddedPostgres source;
  private static EmbeddedPostgres target;

  @TempDir Path folder;

  private Pgbouncer first;
  private Pgbouncer second;

  @BeforeAll
  static void startServers() {
    assumeThat(Pgbouncer.program())
        .as("skipped: no pgbouncer on the PATH and in /usr/sbin")
        .isPresent();
    source = EmbeddedPostgres.start();
    target = EmbeddedPostgres.start();
  }

  @AfterAll
  static void stopServers() {
    if (target != null) {
      source.close();
      target.close();
    }
  }

  @BeforeEach
  void startInstances() throws Exception {
    for (EmbeddedPostgres server : new EmbeddedPostgres[] {source, target}) {
      try (Connection connection = server.connect();
          Statement statement = connection.createStatement()) {
        statement.execute(
            "DROP TABLE IF EXISTS sold; CREATE TABLE sold (id bigserial PRIMARY KEY)");
      }
    }
    first = Pgbouncer.start(folder.resolve("first"), source.port());
    second = Pgbouncer.start(folder.resolve("second"), source.port());
  }

  @AfterEach
  void stopInstances() throws Exception {
    first.close();
    second.close();
  }

  @Test
  void clientsAreHeldSwitchedAndResumedWithoutAnError() throws Exception {
    HookTask task =
        task(
            "traffic",
            """
            - exec:
                name: point
                switch: [sed, -i, "s/port=%d/port=%d/", %s, %s]
            """
                    .formatted(source.port(), target.port(), first.file(), second.file())
                + pgbouncer(
                    "database: shop, reload: true, proof: {database: shop_proof, user: app,"
                        + " password: app}"));
    CutoverHooks hooks = task.hooks();
    assertThat(hooks.check(BUDGET).problems()).isEmpty();
    try (PgbouncerTraffic traffic = PgbouncerTraffic.through(first, second)) {
      HookReport paused = hooks.pause("c-1", BUDGET);
      assertThat(paused.problems()).isEmpty();
      assertThat(first.isPaused()).isTrue();
      assertThat(second.isPaused()).isTrue();
      assertThat(task.notes().open()).containsOnlyKeys("pgbouncer");
      long sold = sold(source);

      HookReport switched = hooks.switchOver("c-1");
      assertThat(switched.problems()).isEmpty();
      assertThat(switched.results().get(1).output())
          .containsExactlyInAnyOrder(reloaded(first), reloaded(second));
      assertThat(first.isPaused()).isTrue();
      assertThat(sold(target)).isZero();

      HookReport resumed = hooks.resume("c-1", CutoverOutcome.MOVED);
      assertThat(resumed.problems()).isEmpty();
      traffic.awaitMore();
      traffic.end();
      assertThat(traffic.errors()).isEmpty();
      assertThat(sold(source)).isEqualTo(sold);
      assertThat(sold(source) + sold(target)).isEqualTo(traffic.acknowledged());
    }
    assertThat(first.isPaused()).isFalse();
    assertThat(second.isPaused()).isFalse();
    assertThat(task.noted()).containsExactly("hook pgbouncer: cleared");
  }

  private static String reloaded(Pgbouncer instance) {
    return "127.0.0.1:%d: reloaded, its server is 127.0.0.1:%d/postgres, a login reached it"
        .formatted(instance.port(), target.port());
  }

  @ParameterizedTest
  @ValueSource(strings = {"database: shop, timeout: 1s", "timeout: 1s"})
  void aPauseThatTakesTooLongHoldsNobody(String settings) throws Exception {
    HookTask task = task("slow", pgbouncer(settings));
    try (Connection open = first.client();
        Statement statement = open.createStatement()) {
      statement.execute("BEGIN; INSERT INTO sold DEFAULT VALUES");
      HookReport report = task.hooks().pause("c-1", BUDGET);
      assertThat(report.problems())
          .singleElement()
          .satisfies(
              problem -> {
                assertThat(problem.thing()).isEqualTo("hook pgbouncer, pause");
                assertThat(problem.found()).startsWith("127.0.0.1:" + first.port() + ": nothing");
              });
      assertThat(report.results())
          .extracting(HookResult::action)
          .containsExactly(HookAction.PAUSE, HookAction.RESUME);
      try (PgbouncerTraffic traffic = PgbouncerTraffic.through(first, second)) {
        assertThat(traffic.errors()).isEmpty();
      }
      statement.execute("COMMIT");
    }
    assertThat(task.hooks().check(BUDGET).problems()).isEmpty();
    assertThat(task.noted()).containsExactly("hook pgbouncer: cleared");
  }

  @Test
  void whatAnOperatorPausedIsRefusedAndNeverResumed() throws Exception {
    HookTask task = task("operator", pgbouncer("database: shop"));
    second.console("PAUSE shop");
    String found = "127.0.0.1:" + second.port() + ": shop is paused already, by somebody else";
    assertThat(task.hooks().check(BUDGET).problems())
        .extracting(Problem::found)
        .containsExactly(found);
    CutoverHooks hooks = task.hooks();
    assertThat(hooks.pause("c-1", BUDGET).problems())
        .extracting(Problem::found)
        .containsExactly(found);
    assertThat(hooks.resume("c-1", CutoverOutcome.RELEASED).results()).isEmpty();
    assertThat(hooks.resumeLeft("c-1", CutoverOutcome.RELEASED).results()).isEmpty();
    assertThat(first.isPaused()).isFalse();
    assertThat(second.isPaused()).isTrue();
    assertThat(task.noted()).isEmpty();
    second.console("RESUME shop");

    first.console("PAUSE");
    assertThat(task.hooks().check(BUDGET).problems())
        .extracting(Problem::found)
        .containsExactly("127.0.0.1:" + first.port() + ": it is paused already, by somebody else");
  }

  @Test
  void allThatStandsInTheWayIsNamedAtOnceAndNothingIsChanged() throws Exception {
    first.set("stats_users", "console", source.port());
    first.set("admin_users", "root", source.port());
    second.set("query_wait_timeout", "20", source.port());
    second.set("pool_mode", "session", source.port());
    HookTask task =
        task(
            "wrong",
            pgbouncer(
                "database: shop, timeout: 1s, proof: {database: nowhere, user: app, password: app}"));
    assertThat(task.hooks().check(Duration.ofSeconds(17)).problems()).hasSize(1);
    HookResult checked = task.hooks().check(Duration.ofSeconds(18)).results().get(0);
    assertThat(checked.failure().orElseThrow().found().split("; "))
        .containsExactlyInAnyOrder(
            "127.0.0.1:" + first.port() + ": the user may not pause",
            "127.0.0.1:" + first.port() + ": no database nowhere",
            "127.0.0.1:" + second.port() + ": no database nowhere",
            "127.0.0.1:"
                + second.port()
                + ": query_wait_timeout is 20 s: it drops clients that wait longer");
    assertThat(checked.output())
        .containsExactly(
            "127.0.0.1:"
                + second.port()
                + ": shop has session pools: a pause waits until their clients disconnect");
    assertThat(second.isPaused()).isFalse();
  }

  @Test
  void anInstanceThatDoesNotAnswerIsNamedWithoutThePassword() throws Exception {
    HookTask task = task("down", pgbouncer("database: shop"));
    second.kill();
    assertThat(task.hooks().pause("c-1", BUDGET).problems())
        .singleElement()
        .satisfies(
            problem -> {
              assertThat(problem.found()).startsWith("127.0.0.1:" + second.port() + ": login as");
              assertThat(problem.toString()).doesNotContain("c0nsole");
            });
    assertThat(first.isPaused()).isFalse();
    assertThat(task.noted()).isEmpty();
  }

  @Test
  void whatADaemonLeftHeldIsResumedAtTheNextStart() throws Exception {
    HookTask task = task("left", pgbouncer("database: shop"));
    // Killed between the note and its PAUSE.
    task.notes().note("pgbouncer", "");
    assertThat(task.hooks().resumeLeft("c-1", CutoverOutcome.RELEASED).problems()).isEmpty();
    assertThat(task.noted()).containsExactly("hook pgbouncer: cleared");

    try (PgbouncerTraffic traffic = PgbouncerTraffic.through(first, second)) {
      assertThat(task.hooks().pause("c-1", BUDGET).problems()).isEmpty();
      assertThat(first.isPaused()).isTrue();
      // Killed after PAUSE: other hooks, which know only what was noted.
      HookReport resumed = task.hooks().resumeLeft("c-1", CutoverOutcome.RELEASED);
      assertThat(resumed.problems()).isEmpty();
      assertThat(resumed.results()).hasSize(1);
      traffic.awaitMore();
      assertThat(traffic.errors()).isEmpty();
    }
    assertThat(task.notes().open()).isEmpty();
  }

  @Test
  void clientsAreFreedAfterADaemonThatWasKilledWhileItsPauseWaited() throws Exception {
    HookTask task = task("killed", pgbouncer("database: shop, timeout: 10m"));
    try (PgbouncerTraffic traffic = PgbouncerTraffic.through(first, second);
        Connection open = first.client();
        Statement statement = open.createStatement()) {
      statement.execute("BEGIN; INSERT INTO sold DEFAULT VALUES");
      Process daemon = PausingDaemon.start(folder.resolve("task.yaml"));
      try {
        await()
            .atMost(LIMIT)
            .until(() -> !daemon.isAlive() || first.isPaused() && second.isPaused());
        assertThat(daemon.isAlive()).isTrue();
      } finally {
        daemon.destroyForcibly().waitFor();
      }
      statement.execute("COMMIT");
      assertThat(first.isPaused()).isTrue();
      assertThat(second.isPaused()).isTrue();
      assertThat(task.notes().open()).containsOnlyKeys("pgbouncer");

      HookTask next = HookTask.claimed(folder.resolve("task.yaml"));
      assertThat(next.hooks().resumeLeft("c-1", CutoverOutcome.RELEASED).problems()).isEmpty();
      traffic.awaitMore();
      traffic.end();
      assertThat(traffic.errors()).isEmpty();
      assertThat(next.notes().open()).isEmpty();
    }
  }

  @Test
  void anInstanceThatIsFrozenHoldsNoOther() throws Exception {
    HookTask task = task("frozen", pgbouncer("database: shop, timeout: 1s"));
    CutoverHooks hooks = task.hooks();
    assertThat(hooks.pause("c-1", BUDGET).problems()).isEmpty();
    first.signal("STOP");
    assertThat(hooks.resume("c-1", CutoverOutcome.RELEASED).problems()).hasSize(1);
    assertThat(second.isPaused()).isFalse();
    assertThat(hooks.pause("c-2", BUDGET).problems())
        .extracting(Problem::thing)
        .containsExactly("hook pgbouncer, pause", "hook pgbouncer, resume");
    assertThat(second.isPaused()).isFalse();
    first.signal("CONT");
    assertThat(task.hooks().resumeLeft("c-1", CutoverOutcome.RELEASED).problems()).isEmpty();
    assertThat(first.isPaused()).isFalse();
    assertThat(task.notes().open()).isEmpty();
  }

  @Test
  void anInstanceThatIsDownAtTheResumeIsResumedLater() throws Exception {
    HookTask task = task("gone", pgbouncer("database: shop, timeout: 1s"));
    CutoverHooks hooks = task.hooks();
    assertThat(hooks.pause("c-1", BUDGET).problems()).isEmpty();
    first.kill();
    HookReport report = hooks.resume("c-1", CutoverOutcome.RELEASED);
    assertThat(report.problems())
        .singleElement()
        .satisfies(
            problem ->
                assertThat(problem.fix())
                    .endsWith(
                        "send RESUME shop; to the admin console of pgbouncer at 127.0.0.1:"
                            + first.port()
                            + ", 127.0.0.1:"
                            + second.port()));
    assertThat(second.isPaused()).isFalse();
    assertThat(task.notes().open()).containsOnlyKeys("pgbouncer");
    first.start();
    assertThat(task.hooks().resumeLeft("c-1", CutoverOutcome.RELEASED).problems()).isEmpty();
    assertThat(task.notes().open()).isEmpty();
  }

  @Test
  void withoutADatabaseAllArePaused() throws Exception {
    HookTask task = task("all", pgbouncer("timeout: 10s"));
    CutoverHooks hooks = task.hooks();
    try (PgbouncerTraffic traffic = PgbouncerTraffic.through(first, second)) {
      assertThat(hooks.pause("c-1", BUDGET).problems()).isEmpty();
      assertThat(hooks.check(BUDGET).problems())
          .singleElement()
          .satisfies(problem -> assertThat(problem.found()).contains("may hold the applications"));
      // Who has no note of it takes it for somebody else's.
      assertThat(task("other", pgbouncer("timeout: 10s")).hooks().check(BUDGET).problems())
          .singleElement()
          .satisfies(problem -> assertThat(problem.found()).contains("it is paused already"));
      assertThat(hooks.resume("c-1", CutoverOutcome.RELEASED).problems()).isEmpty();
      traffic.awaitMore();
      assertThat(traffic.errors()).isEmpty();
    }
    assertThat(hooks.check(BUDGET).problems()).isEmpty();
  }

  @Test
  void aServerThatNoLoginReachesIsReportedAndTheClientsAreResumed() throws Exception {
    HookTask task =
        task(
            "proof",
            pgbouncer(
                "database: shop, timeout: 2s, proof: {database: shop_proof, user: app, password:"
                    + " wrong}"));
    CutoverHooks hooks = task.hooks();
    assertThat(hooks.pause("c-1", BUDGET).problems()).isEmpty();
    assertThat(hooks.switchOver("c-1").problems())
        .singleElement()
        .satisfies(
            problem -> {
              assertThat(problem.thing()).isEqualTo("hook pgbouncer, switch");
              assertThat(problem.found()).contains("login as app");
            });
    assertThat(hooks.resume("c-1", CutoverOutcome.MOVED).problems()).isEmpty();
    assertThat(first.isPaused()).isFalse();
  }

  private HookTask task(String name, String hooks) throws Exception {
    return HookTask.of(folder, name, target, hooks);
  }

  private String pgbouncer(String rest) {
    return "- pgbouncer: {instances: ['127.0.0.1:%d', '127.0.0.1:%d'], user: console, password: c0nsole, %s}\n"
        .formatted(first.port(), second.port(), rest);
  }

  private static long sold(EmbeddedPostgres server) throws SQLException {
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT count(*) FROM sold")) {
      row.next();
      return row.getLong(1);
    }
  }
}
