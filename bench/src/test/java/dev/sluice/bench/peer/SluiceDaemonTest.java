package dev.sluice.bench.peer;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SluiceDaemonTest {
  @ParameterizedTest
  @ValueSource(strings = {"-Xmx512m", "-Xmx2g"})
  void aMeasuredDaemonHasTheOptionsThatTheLauncherGivesIt(String heap) throws Exception {
    Path checkout = TypedCommand.launcher().orElseThrow().getParent();
    assertThat(Files.readString(checkout.resolve("release/src/bin/sluice")))
        .contains(SluiceDaemon.launcherOptions(List.of(heap)));
  }

  @Test
  void aMeasuredDaemonStartsWithTheArchiveOfAStartsClassesWhereThereIsOne(@TempDir Path libraries)
      throws Exception {
    Path archive = Files.createFile(libraries.resolve("start-17.jsa"));
    System.setProperty(SluiceDaemon.ARCHIVE, archive.toString());
    try {
      assertThat(SluiceDaemon.classes()).as("an empty one stands for none").hasSize(2);
      Files.writeString(archive, "classes");
      assertThat(SluiceDaemon.classes())
          .containsSubsequence("-cp", libraries + "/*", "-XX:SharedArchiveFile=" + archive);
    } finally {
      System.clearProperty(SluiceDaemon.ARCHIVE);
    }
  }
}
