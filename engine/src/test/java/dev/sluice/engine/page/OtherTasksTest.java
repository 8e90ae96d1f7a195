package dev.sluice.engine.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.page.OtherTask.State;
import dev.sluice.engine.status.LastState;
import dev.sluice.engine.status.StatusJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class OtherTasksTest {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  @TempDir Path parent;
  private final SetClock clock = new SetClock();
  private OtherTasks others;

  @BeforeEach
  void own() throws IOException {
    write("shop", state("shop", "replicating", START, LastState.Next.CONTINUE));
    others = new OtherTasks(parent.resolve("shop"), clock);
  }

  @Test
  void tasksWhoseDirectoriesLieBesideItsOwnAreListedByName() throws IOException {
    write("zoo", state("zoo", "replicating", START, LastState.Next.CONTINUE));
    Files.writeString(parent.resolve("zoo/http-address"), "127.0.0.1:8081");
    Files.writeString(parent.resolve("zoo/http-origin"), "https://zoo.example.org");
    write("billing", state("billing", "full-load", START, LastState.Next.CONTINUE));
    write("gone", state("gone", "stopped", START, LastState.Next.REMOVED));
    Files.createDirectories(parent.resolve("no-task"));
    write("broken", "{");
    write("huge", " ".repeat(2 << 20) + state("huge", "x", START, LastState.Next.CONTINUE));
    Files.writeString(parent.resolve("a-file"), "");

    assertThat(others.all()).extracting(OtherTask::task).containsExactly("billing", "zoo");
    OtherTask zoo = others.all().get(1);
    assertThat(zoo.state()).isEqualTo(State.RUNNING);
    assertThat(zoo.behindSeconds()).isEqualTo(1.5);
    assertThat(zoo.problem()).isEqualTo("the target does not answer");
    assertThat(zoo.address()).isEqualTo("127.0.0.1:8081");
    assertThat(zoo.origin()).isEqualTo("https://zoo.example.org");
    assertThat(others.all().get(0).address()).isNull();
  }

  @Test
  void aDaemonThatWritesNoMoreIsSilentUnlessItSaidThatItEnded() throws IOException {
    write("zoo", state("zoo", "replicating", START, LastState.Next.CONTINUE));
    write("done", state("done", "stopped", START, LastState.Next.CUT_OVER));
    clock.advance(OtherTask.SILENCE);
    assertThat(others.all())
        .extracting(OtherTask::state)
        .containsExactly(State.ENDED, State.RUNNING);
    clock.advance(Duration.ofSeconds(6));
    assertThat(others.all())
        .extracting(OtherTask::state)
        .containsExactly(State.ENDED, State.SILENT);
  }

  @Test
  void theDirectoriesAreReadAgainOnlyAfterFiveSeconds() throws IOException {
    assertThat(others.all()).isEmpty();
    write("zoo", state("zoo", "replicating", START, LastState.Next.CONTINUE));
    assertThat(others.all()).isEmpty();
    clock.advance(Duration.ofSeconds(5));
    assertThat(others.all()).hasSize(1);
  }

  @Test
  void nothingButTheStateAndTheAddressesOfAnotherTaskIsGiven() throws IOException {
    write("zoo", state("zoo", "replicating", START, LastState.Next.CONTINUE));
    Files.writeString(parent.resolve("zoo/control-token"), "f".repeat(64));
    assertThat(StatusJson.write(others.all())).doesNotContain("f".repeat(64)).contains("zoo");
  }

  @Test
  void atMostAHundredAreListed() throws IOException {
    for (int i = 0; i < OtherTasks.MOST + 5; i++) {
      write("t" + i, state("t" + i, "replicating", START, LastState.Next.CONTINUE));
    }
    assertThat(others.all()).hasSize(OtherTasks.MOST);
  }

  private void write(String directory, String text) throws IOException {
    Files.createDirectories(parent.resolve(directory));
    Files.writeString(parent.resolve(directory).resolve("last-state.json"), text);
  }

  private static String state(String task, String phase, Instant at, LastState.Next next) {
    return StatusJson.write(
        new LastState(
            task,
            at,
            phase,
            START,
            "a reason",
            "the target does not answer",
            "0/1",
            "0/1",
            1.5,
            4711,
            START,
            next));
  }

  /** Stands until a test moves it. */
  private static final class SetClock extends Clock {
    private Instant now = START;

    void advance(Duration time) {
      now = now.plus(time);
    }

    @Override
    public Instant instant() {
      return now;
    }

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      throw new UnsupportedOperationException("a clock of UTC");
    }
  }
}
