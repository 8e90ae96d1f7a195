package dev.sluice.bench.peer;

import dev.sluice.bench.server.Database;
import dev.sluice.embedded.FreePort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Sluice's command line as a user types it, with a task file of its own. Run with the launcher of
 * this checkout. Owned by one thread.
 */
public final class TypedCommand {
  private static final String LAUNCHER = "sluice";

  private final Path launcher;
  private final Path file;
  private String javaOptions = "";

  /**
   * Writes the task file.
   *
   * @param folder for the file and the task's data
   * @param type full-load or full-load-and-cdc
   * @param settings the task-settings, in YAML on one line
   */
  public TypedCommand(Path folder, Database source, Database target, String type, String settings)
      throws IOException {
    this.launcher = launcher().orElseThrow();
    this.file =
        Files.writeString(
            folder.resolve("cold.yaml"),
            """
            task: cold
            migration-type: %s
            source: { type: postgresql, url: "postgresql://%2$s@127.0.0.1:%3$d/%4$s", password: none }
            target: { type: postgresql, url: "postgresql://%2$s@127.0.0.1:%5$d/%6$s", password: none }
            data-dir: %7$s
            http: 127.0.0.1:%8$d
            table-mappings:
              rules:
                - rule-type: selection
                  rule-id: "1"
                  rule-name: all
                  rule-action: include
                  object-locator: { schema-name: public, table-name: "%%" }
            task-settings: %9$s
            """
                .formatted(
                    type,
                    Database.USER,
                    source.port(),
                    source.name(),
                    target.port(),
                    target.name(),
                    folder.resolve("data"),
                    FreePort.find(),
                    settings));
  }

  /** The launcher of the checkout that this runs in; empty outside of one. */
  public static Optional<Path> launcher() {
    for (Path folder = Path.of("").toAbsolutePath(); folder != null; folder = folder.getParent()) {
      if (Files.isExecutable(folder.resolve(LAUNCHER))) {
        return Optional.of(folder.resolve(LAUNCHER));
      }
    }
    return Optional.empty();
  }

  /** Has the launcher build what it needs, which is no part of any command's time. */
  public static void prepare() throws IOException, InterruptedException {
    int exitCode =
        new ProcessBuilder(launcher().orElseThrow().toString(), "--help")
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start()
            .waitFor();
    if (exitCode != 0) {
      throw new IOException("sluice --help ends with " + exitCode);
    }
  }

  /** Sets the options of Java for the next commands; none before. */
  public void javaOptions(String options) {
    javaOptions = options;
  }

  /** Runs a command to its end, and returns how long that took. */
  public Duration run(String name) throws IOException, InterruptedException {
    Path output = file.resolveSibling(name + ".out");
    long began = System.nanoTime();
    int exitCode = start(name, output).waitFor();
    Duration took = Duration.ofNanos(System.nanoTime() - began);
    if (exitCode != 0) {
      throw new IOException(
          "sluice " + name + " ends with " + exitCode + ": " + Files.readString(output));
    }
    return took;
  }

  /**
   * Starts a command.
   *
   * @param output is overwritten with what it prints
   */
  public Process start(String name, Path output) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(launcher.toString(), name, file.toString());
    builder.environment().put("SLUICE_OPTS", javaOptions);
    return builder.redirectErrorStream(true).redirectOutput(output.toFile()).start();
  }

  /** A file beside the task file. */
  public Path output(String name) {
    return file.resolveSibling(name);
  }
}
