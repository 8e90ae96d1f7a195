package dev.sluice.bench.peer;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SluiceDaemonTest {
  @ParameterizedTest
  @ValueSource(strings = {"-Xmx512m", "-Xmx2g"})
  void aMeasuredDaemonHasTheOptionsThatTheLauncherGivesIt(String heap) throws Exception {
    Path checkout = SluiceCommand.launcher().orElseThrow().getParent();
    assertThat(Files.readString(checkout.resolve("release/src/bin/sluice")))
        .contains(SluiceDaemon.launcherOptions(List.of(heap)));
  }
}
