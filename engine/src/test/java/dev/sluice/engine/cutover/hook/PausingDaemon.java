package dev.sluice.engine.cutover.hook;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/** A process that pauses with the hooks of a task, to be killed while it does. */
final class PausingDaemon {
  private PausingDaemon() {}

  static Process start(Path taskFile) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-Xmx256m",
            "-cp",
            System.getProperty("java.class.path"),
            PausingDaemon.class.getName(),
            taskFile.toString())
        .redirectErrorStream(true)
        .redirectOutput(taskFile.resolveSibling("daemon.out").toFile())
        .start();
  }

  public static void main(String[] arguments) throws InterruptedException {
    HookTask.claimed(Path.of(arguments[0])).hooks().pause("c-1", Duration.ofMinutes(10));
  }
}
