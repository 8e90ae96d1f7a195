package dev.sluice.engine.imports;

import java.io.IOException;
import java.nio.file.Path;

/** The command import in a process of its own. */
final class ImportProcess {
  private ImportProcess() {}

  static Process start(Path task, Path folder, Path output) throws IOException {
    return new ProcessBuilder(
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
  }
}
