package dev.sluice.engine.cutover.hook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.document.Problem;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExecHooksTest {
  private static final Duration LIMIT = Duration.ofMinutes(5);
  private static final Duration LONG = Duration.ofMinutes(2);

  private static EmbeddedPostgres server;

  @TempDir Path folder;

  @BeforeAll
  static void startServer() {
    server = EmbeddedPostgres.start();
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  @Test
  void stepsRunInOrderWithTheirVariablesAndAreResumedInReverse() throws Exception {
    HookTask task = HookTask.of(folder, "order", server, logging("a") + logging("b"));
    CutoverHooks hooks = task.hooks();

    assertThat(hooks.check(LONG).succeeded()).isTrue();
    assertThat(log()).isEmpty();
    assertThat(hooks.pause("c-1", LONG).succeeded()).isTrue();
    assertThat(task.notes().open()).containsOnlyKeys("a", "b");
    assertThat(task.notes().open().get("a")).startsWith("run sh -c ").contains(">> log");
    HookReport switched = hooks.switchOver("c-1");
    assertThat(switched.succeeded()).isTrue();
    assertThat(switched.results().get(0).output()).containsExactly("switching a");
    assertThat(hooks.resume("c-1", CutoverOutcome.MOVED).succeeded()).isTrue();

    assertThat(log())
        .containsExactly(
            "order a pause c-1 ",
            "order b pause c-1 ",
            "order a switch c-1 moved",
            "order b switch c-1 moved",
            "order b resume c-1 moved",
            "order a resume c-1 moved");
    assertThat(task.noted()).containsExactly("hook a: cleared", "hook b: cleared");
    assertThat(hooks.resume("c-1", CutoverOutcome.MOVED).results()).isEmpty();
    assertThat(hooks.resumeLeft("c-1", CutoverOutcome.MOVED).results()).isEmpty();
  }

  @Test
  void aCommandGetsNothingOfTheDaemonsEnvironmentButWhatIsDocumented() throws Exception {
    HookTask task = HookTask.of(folder, "variables", server, "- exec: {name: a, switch: [env]}\n");
    List<String> output = task.hooks().switchOver("c-1").results().get(0).output();

    assertThat(System.getenv()).hasSizeGreaterThan(HookProcess.INHERITED.size());
    assertThat(output)
        .contains(
            "SLUICE_TASK=variables",
            "SLUICE_TARGET_HOST=127.0.0.1",
            "SLUICE_TARGET_PORT=" + server.port(),
            "SLUICE_TARGET_DATABASE=postgres",
            "SLUICE_OUTCOME=moved")
        .allSatisfy(
            line -> {
              String name = line.substring(0, line.indexOf('='));
              assertThat(HookProcess.INHERITED.contains(name) || name.startsWith("SLUICE_"))
                  .as(line)
                  .isTrue();
            });
  }

  @Test
  void aTimeoutKillsTheCommandWithAllThatItStarted() throws Exception {
    String script =
        "(sleep 1000 & echo $! >> pids); sleep 1000 & echo $! >> pids;"
            + " echo $$ >> pids; echo begun; wait";
    HookTask task =
        HookTask.of(
            folder,
            "timeout",
            server,
            "- exec: {name: a, pause: [sh, -c, '" + script + "'], timeout: 2s}\n");

    HookReport report = task.hooks().pause("c-1", LONG);
    assertThat(report.results().get(0).failure().orElseThrow().found())
        .isEqualTo("killed after its timeout of 2000 ms");
    assertThat(report.results().get(0).output()).containsExactly("begun");
    assertThat(Files.readAllLines(folder.resolve("pids"))).hasSize(3);
    for (String pid : Files.readAllLines(folder.resolve("pids"))) {
      await().atMost(LIMIT).until(() -> isDead(Long.parseLong(pid)));
    }
  }

  @Test
  void aPauseIsBoundedByWhatIsLeftOfTheBudget() throws Exception {
    HookTask task =
        HookTask.of(
            folder,
            "budget",
            server,
            "- exec: {name: a, pause: [sleep, '1000'], timeout: 10m}\n" + logging("b"));
    assertThat(task.hooks().pause("c-1", Duration.ofSeconds(2)).problems())
        .singleElement()
        .extracting(Problem::found)
        .asString()
        .startsWith("killed after its timeout of ");
    assertThat(log()).isEmpty();
    assertThat(task.hooks().pause("c-1", Duration.ZERO).problems())
        .singleElement()
        .extracting(Problem::found)
        .isEqualTo("not begun, since the budget is used up");
  }

  @Test
  void aProcessInTheBackgroundDoesNotHoldUpItsCommand() throws Exception {
    HookTask task =
        HookTask.of(
            folder,
            "background",
            server,
            "- exec: {name: a, switch: [sh, -c, 'sleep 1000 & echo $!'], timeout: 10m}\n");
    HookResult result = task.hooks().switchOver("c-1").results().get(0);
    assertThat(result.failure()).isEmpty();
    long background = Long.parseLong(result.output().get(0));
    assertThat(isDead(background)).isFalse();
    ProcessHandle.of(background).ifPresent(ProcessHandle::destroyForcibly);
  }

  @Test
  void aFailedPauseIsUndoneWithTheOnesBeforeIt() throws Exception {
    String failing =
        """
        - exec:
            name: b
            pause: [sh, -c, "i=0; while [ $i -lt 500 ]; do i=$((i+1)); echo line $i; done; exit 3"]
            resume: [sh, -c, "echo b resume $SLUICE_OUTCOME >> log"]
        """;
    HookTask task = HookTask.of(folder, "failing", server, logging("a") + failing + logging("c"));
    HookReport report = task.hooks().pause("c-1", LONG);

    assertThat(report.results())
        .extracting(result -> result.hook() + " " + result.action().text())
        .containsExactly("a pause", "b pause", "b resume", "a resume");
    HookResult failed = report.results().get(1);
    assertThat(failed.failure().orElseThrow().toString())
        .isEqualTo(
            "hook b, pause: exit code 3; expected exit code 0. Read its output, and correct the"
                + " command sh");
    assertThat(failed.output()).hasSize(20).first().isEqualTo("line 481");
    assertThat(failed.output()).last().isEqualTo("line 500");
    assertThat(log())
        .containsExactly(
            "failing a pause c-1 ", "b resume released", "failing a resume c-1 released");
    assertThat(task.noted()).containsExactly("hook a: cleared", "hook b: cleared");
  }

  @Test
  void outputWithoutAnEndOfLineIsBoundedToo() throws Exception {
    HookTask task =
        HookTask.of(
            folder,
            "long",
            server,
            "- exec: {name: a, switch: [sh, -c, 'head -c 9999999 /dev/zero | tr \"\\\\0\" x']}\n");
    assertThat(task.hooks().switchOver("c-1").results().get(0).output())
        .containsExactly("x".repeat(OutputTail.BYTES));
  }

  @Test
  void missingCommandsAreNamedBeforeAnythingRuns() throws Exception {
    Files.writeString(folder.resolve("not-executable"), "#!/bin/sh\n");
    HookTask task =
        HookTask.of(
            folder,
            "missing",
            server,
            logging("a")
                + "- exec: {name: b, pause: [./not-executable], switch: [no-such-program, x]}\n");
    String found = "no executable file: ./not-executable, no-such-program";
    assertThat(task.hooks().check(LONG).problems())
        .singleElement()
        .extracting(Problem::found)
        .isEqualTo(found);
    assertThat(log()).isEmpty();

    assertThat(task.hooks().pause("c-1", LONG).problems())
        .singleElement()
        .extracting(Problem::found)
        .isEqualTo(found);
    assertThat(log()).containsExactly("missing a pause c-1 ", "missing a resume c-1 released");
    assertThat(task.noted()).containsExactly("hook a: cleared");
    assertThat(task.hooks().switchOver("c-1").problems())
        .singleElement()
        .extracting(Problem::found)
        .asString()
        .startsWith("the command no-such-program cannot be started");
  }

  @Test
  void aFailedHookHidesNoOtherAndIsResumedAtTheNextStart() throws Exception {
    String failing =
        """
        - exec: {name: b, pause: ["true"], switch: ["false"], resume: [test, -e, fixed]}
        """;
    HookTask task = HookTask.of(folder, "hidden", server, logging("a") + failing + logging("c"));
    CutoverHooks hooks = task.hooks();
    hooks.pause("c-1", LONG);
    HookReport switched = hooks.switchOver("c-1");
    HookReport resumed = hooks.resume("c-1", CutoverOutcome.MOVED);

    assertThat(switched.problems()).extracting(Problem::thing).containsExactly("hook b, switch");
    assertThat(resumed.problems()).extracting(Problem::thing).containsExactly("hook b, resume");
    assertThat(log())
        .filteredOn(line -> line.contains("moved"))
        .containsExactly(
            "hidden a switch c-1 moved",
            "hidden c switch c-1 moved",
            "hidden c resume c-1 moved",
            "hidden a resume c-1 moved");
    assertThat(task.notes().open()).isEqualTo(Map.of("b", "run test -e fixed"));

    assertThat(task.hooks().resumeLeft("c-1", CutoverOutcome.MOVED).problems()).hasSize(1);
    Files.createFile(folder.resolve("fixed"));
    assertThat(task.hooks().resumeLeft("c-1", CutoverOutcome.MOVED).succeeded()).isTrue();
    assertThat(task.notes().open()).isEmpty();
  }

  @Test
  void aNoteWithoutItsHookSaysHowToLetGoByHand() throws Exception {
    HookTask.of(folder, "renamed", server, logging("old")).hooks().pause("c-1", LONG);
    HookTask task = HookTask.of(folder, "renamed", server, logging("new"));
    assertThat(task.hooks().resumeLeft("c-1", CutoverOutcome.RELEASED).problems())
        .singleElement()
        .satisfies(
            problem -> {
              assertThat(problem.thing()).isEqualTo("hook old, resume");
              assertThat(problem.fix()).contains("or let go by hand: run sh -c ");
            });
    assertThat(log()).containsExactly("renamed old pause c-1 ");
  }

  @Test
  void anInterruptedPauseIsUndone() throws Exception {
    HookTask task =
        HookTask.of(
            folder,
            "interrupted",
            server,
            logging("a")
                + "- exec: {name: b, pause: [sh, -c, 'touch waiting; sleep 1000'], timeout: 10m}\n");
    CompletableFuture<String> ended = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                task.hooks().pause("c-1", Duration.ofMinutes(20));
                ended.complete("not interrupted");
              } catch (InterruptedException e) {
                ended.complete("interrupted");
              } catch (RuntimeException e) {
                ended.completeExceptionally(e);
              }
            });
    thread.start();
    await().atMost(LIMIT).until(() -> Files.exists(folder.resolve("waiting")));
    thread.interrupt();
    assertThat(ended.get(LIMIT.toSeconds(), TimeUnit.SECONDS)).isEqualTo("interrupted");
    assertThat(log()).last().isEqualTo("interrupted a resume c-1 released");
    assertThat(task.noted()).containsExactly("hook a: cleared", "hook b: cleared");
  }

  /** A hook whose commands write what they were given. */
  private static String logging(String name) {
    String line = "echo $SLUICE_TASK $SLUICE_HOOK $SLUICE_STEP $SLUICE_CUTOVER_ID";
    return """
        - exec:
            name: %s
            pause: [sh, -c, "%s '' >> log"]
            switch: [sh, -c, "echo switching %s; %s $SLUICE_OUTCOME >> log"]
            resume: [sh, -c, "%s $SLUICE_OUTCOME >> log"]
        """
        .formatted(name, line, name, line, line);
  }

  private List<String> log() throws IOException {
    Path log = folder.resolve("log");
    return Files.exists(log) ? Files.readAllLines(log) : List.of();
  }

  /** A killed process whose parent does not wait for it stays as a zombie. */
  private static boolean isDead(long pid) {
    try {
      return Files.readString(Path.of("/proc", Long.toString(pid), "stat"))
          .matches("(?s).*\\) Z.*");
    } catch (IOException e) {
      return ProcessHandle.of(pid).isEmpty();
    }
  }
}
