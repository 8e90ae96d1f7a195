package dev.sluice.engine.status;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.task.TaskFile;
import dev.sluice.config.task.TaskHome;
import dev.sluice.engine.command.display.LastStateText;
import dev.sluice.engine.status.LastState.Next;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LastStateTest {
  @TempDir Path folder;

  @Test
  void whatAnEarlierDaemonOfTheSameProcessIdHasWrittenIsNotTakenForThisOnes() throws Exception {
    TaskStatus earlier = status("\"pid\": 7, \"started\": \"2026-01-01T00:00:00Z\"");
    LastState.write(folder, earlier, false, Instant.EPOCH);

    LastState last = LastState.read(folder).orElseThrow();

    assertThat(last.isOf(earlier)).isTrue();
    assertThat(last.isOf(status("\"pid\": 7, \"started\": \"2026-01-02T00:00:00Z\""))).isFalse();
    assertThat(last.isOf(status("\"pid\": 8, \"started\": \"2026-01-01T00:00:00Z\""))).isFalse();
  }

  @Test
  void afterACutoverNobodyIsToldToContinue() throws Exception {
    LastState.write(
        folder,
        status("\"cutover\": {\"result\": \"done\", \"step\": \"\", \"report\": []}"),
        false,
        Instant.EPOCH);

    LastState last = LastState.read(folder).orElseThrow();

    assertThat(last.next()).isEqualTo(Next.CUT_OVER);
    assertThat(LastStateText.of(home(), last))
        .contains("the target is the one to use")
        .doesNotContain("continue");
  }

  @Test
  void afterTheRemovalNobodyIsToldToContinue() throws Exception {
    LastState.write(folder, status(""), true, Instant.EPOCH);

    assertThat(LastStateText.of(home(), LastState.read(folder).orElseThrow()))
        .contains("there is nothing to continue");
  }

  @Test
  void afterAnyOtherEndTheNextStartContinues() throws Exception {
    LastState.write(
        folder,
        status("\"cutover\": {\"result\": \"failed\", \"step\": \"\", \"report\": []}"),
        false,
        Instant.EPOCH);

    assertThat(LastStateText.of(home(), LastState.read(folder).orElseThrow()))
        .contains("sluice run TASK.yaml");
  }

  @Test
  void aWriteThatFailsLeavesNoFileBehind() throws Exception {
    Path inTheWay = Files.createDirectory(folder.resolve("last-state.json"));

    LastState.write(folder, status(""), false, Instant.EPOCH);

    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files).containsExactly(inTheWay);
    }
  }

  private static TaskStatus status(String fields) throws Exception {
    return StatusJson.read("{" + fields + "}", TaskStatus.class);
  }

  private TaskHome home() throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("task.yaml"), "task: shop\ndata-dir: " + folder.resolve("data"));
    return TaskFile.readHome(file);
  }
}
