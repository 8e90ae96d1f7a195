package dev.sluice.bench;

import dev.sluice.embedded.FreePort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The daemon in a process of its own, following one slot into one target. */
final class SluiceDaemon implements AutoCloseable {
  private final Process process;
  private final Path output;

  private SluiceDaemon(Process process, Path output) {
    this.process = process;
    this.output = output;
  }

  /**
   * Starts a task of type {@code cdc} on a slot that exists.
   *
   * @param settings the task-settings, in JSON on one line
   */
  static SluiceDaemon start(
      Path folder, String task, Database source, Database target, String slot, String settings)
      throws IOException {
    Files.createDirectories(folder);
    int port = FreePort.find();
    Path file =
        Files.writeString(
            folder.resolve("task.yaml"),
            """
            task: %s
            migration-type: cdc
            source:
              type: postgresql
              url: postgresql://%s@127.0.0.1:%d/%s
              password: ${env:HOME}
              slot-name: %s
              publication-name: %s
            target:
              type: postgresql
              url: postgresql://%s@127.0.0.1:%d/%s
              password: ${env:HOME}
            data-dir: %s
            http: 127.0.0.1:%d
            table-mappings:
              rules:
                - rule-type: selection
                  rule-id: "1"
                  rule-name: "1"
                  rule-action: include
                  object-locator: { schema-name: public, table-name: "%%" }
            task-settings: %s
            """
                .formatted(
                    task,
                    Database.USER,
                    source.port(),
                    source.name(),
                    slot,
                    Backlog.PUBLICATION,
                    Database.USER,
                    target.port(),
                    target.name(),
                    folder.resolve("data"),
                    port,
                    settings));
    Path output = folder.resolve("daemon.out");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx2g", "-XX:+UseParallelGC", "-cp"));
    command.add(System.getProperty("java.class.path"));
    command.addAll(List.of("dev.sluice.engine.Main", "run", file.toString()));
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    return new SluiceDaemon(process, output);
  }

  long pid() {
    return process.pid();
  }

  /**
   * @throws IOException where the daemon has ended, with what it printed
   */
  void requireAlive() throws IOException {
    if (!process.isAlive()) {
      throw new IOException(
          "the daemon ended with " + process.exitValue() + ":\n" + Files.readString(output));
    }
  }

  /** Ends it as SIGTERM does. */
  @Override
  public void close() {
    process.destroy();
    process.onExit().join();
  }
}
