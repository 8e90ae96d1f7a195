package dev.sluice.engine.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.embedded.FreePort;
import dev.sluice.engine.TwoServers;
import dev.sluice.engine.command.CommandLines;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A removal while the target does not answer, which alone tells what is still to be applied. */
class RemovalWithoutTargetTest {
  @RegisterExtension static final TwoServers SERVERS = new TwoServers();

  @TempDir Path folder;

  @Test
  void theJournalOfALostSourceIsKeptUntilTheTargetAnswers() throws Exception {
    DdlTask task =
        DdlTask.make(
            folder,
            "orphan",
            SERVERS.source(),
            SERVERS.target(),
            "ValidationSettings: { EnableValidation: false }");
    RunningDaemon.replicating(task.config()).close();
    Path dataDir = task.config().dataDir();
    Set<Path> before = segments(dataDir);
    assertThat(before).isNotEmpty();
    String file = task.file().toString();
    String answering = Files.readString(task.file());

    task.withTargetPort(FreePort.find());
    assertThat(CommandLines.run("stop", file, "--drop", "--source-gone")).isNotZero();
    assertThat(segments(dataDir)).isEqualTo(before);

    Files.writeString(task.file(), answering);
    assertThat(CommandLines.run("stop", file, "--drop", "--source-gone")).isZero();
    assertThat(segments(dataDir)).isEmpty();
  }

  private static Set<Path> segments(Path dataDir) throws IOException {
    if (!Files.exists(dataDir)) {
      return Set.of();
    }
    try (Stream<Path> files = Files.walk(dataDir)) {
      return files
          .filter(file -> file.getFileName().toString().matches("[0-9]{20}\\.log"))
          .collect(Collectors.toSet());
    }
  }
}
