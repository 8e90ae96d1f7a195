package dev.sluice.engine.imports;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The command import in a process of its own. Used by one thread. */
final class ImportProcess {
  private static final List<Process> STARTED = new ArrayList<>();

  private ImportProcess() {}

  /** Ends those that a test which failed has left. */
  static void endAll() throws InterruptedException {
    for (Process process : STARTED) {
      process.destroyForcibly().waitFor();
    }
    STARTED.clear();
  }

  static Process start(Path task, Path folder, Path output) throws IOException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.sluice.engine.Main",
                "import",
                task.toString(),
                folder.toString())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    STARTED.add(process);
    return process;
  }
}
