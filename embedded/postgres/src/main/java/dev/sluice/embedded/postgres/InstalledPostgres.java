package dev.sluice.embedded.postgres;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A server from the PostgreSQL that is installed on a Debian machine, for tests against that
 * version. Started and closed by one thread.
 */
final class InstalledPostgres implements Closeable {
  private static final Path INSTALLATIONS = Path.of("/usr/lib/postgresql");

  private final Path binaries;
  private final Path data;

  private InstalledPostgres(Path binaries, Path data) {
    this.binaries = binaries;
    this.data = data;
  }

  /** The folder of the newest installation's programs; empty if there is none. */
  static Optional<Path> binaries() {
    if (!Files.isDirectory(INSTALLATIONS)) {
      return Optional.empty();
    }
    try (Stream<Path> versions = Files.list(INSTALLATIONS)) {
      return versions
          .map(version -> version.resolve("bin"))
          .filter(bin -> Files.isExecutable(bin.resolve("initdb")))
          .max(Comparator.comparing(bin -> bin.getParent().getFileName().toString()));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  static InstalledPostgres start(Path data, int port, Map<String, String> settings)
      throws IOException {
    Path binaries =
        binaries().orElseThrow(() -> new IOException("no PostgreSQL under " + INSTALLATIONS));
    InstalledPostgres server = new InstalledPostgres(binaries, data);
    if (!Files.exists(data.resolve("PG_VERSION"))) {
      server.run(
          "initdb",
          "-D",
          data.toString(),
          "-A",
          "trust",
          "-U",
          "postgres",
          "-E",
          "UTF8",
          "--no-locale");
    }
    StringBuilder options = new StringBuilder("-p " + port + " -c listen_addresses=127.0.0.1 -F");
    settings.forEach(
        (name, value) -> options.append(" -c ").append(name).append('=').append(value));
    server.run(
        "pg_ctl",
        "-D",
        data.toString(),
        "-w",
        "-t",
        Long.toString(EmbeddedPostgres.START_TIMEOUT.toSeconds()),
        "-l",
        data.resolve("server.log").toString(),
        "-o",
        options.toString(),
        "start");
    return server;
  }

  /** Stops the server; does nothing if it was killed. */
  @Override
  public void close() throws IOException {
    if (PostgresProcess.in(data).isPresent()) {
      run("pg_ctl", "-D", data.toString(), "-w", "-m", "fast", "stop");
    }
  }

  private void run(String program, String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    if ("root".equals(System.getProperty("user.name"))) {
      // PostgreSQL refuses root; in a user namespace of its own it does not see that it is.
      command.addAll(List.of("unshare", "-U"));
    }
    command.add(binaries.resolve(program).toString());
    command.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      if (!process.waitFor(2 * EmbeddedPostgres.START_TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new IOException(command + " does not end");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(command + " was interrupted", e);
    }
    if (process.exitValue() != 0) {
      throw new IOException(command + " ends with " + process.exitValue());
    }
  }
}
