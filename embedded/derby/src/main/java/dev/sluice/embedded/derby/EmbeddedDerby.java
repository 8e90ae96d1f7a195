package dev.sluice.embedded.derby;

import dev.sluice.embedded.FolderTree;
import dev.sluice.embedded.FreePort;
import dev.sluice.embedded.MemoryFolder;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.derby.drda.NetworkServerControl;
import org.apache.derby.jdbc.EmbeddedDriver;

/**
 * A server of Apache Derby that needs no installation. Db2's driver treats it as a Db2 with few
 * features: it has the same protocol (DRDA) and much of the same SQL. It listens on loopback,
 * trusts every user, and ends with this JVM, also if that is killed. Used by one thread.
 */
public final class EmbeddedDerby implements AutoCloseable {
  /** The name of its one database. */
  public static final String DATABASE = "lab";

  private static final String LOG = "server.log";

  /** A session that waits for a lock in a test gets it, however slow the machine is. */
  private static final Duration LONG = Duration.ofMinutes(10);

  private final Path directory;
  private final int port;
  private final Duration lockTimeout;
  private Process process;

  private EmbeddedDerby(Path directory, int port, Duration lockTimeout) {
    this.directory = directory;
    this.port = port;
    this.lockTimeout = lockTimeout;
  }

  /**
   * Starts a server with an empty database.
   *
   * @throws UncheckedIOException if it does not start
   */
  public static EmbeddedDerby start() {
    return start(LONG);
  }

  /** Starts a server with a lock timeout, which Db2 has for each session. */
  public static EmbeddedDerby start(Duration lockTimeout) {
    try {
      EmbeddedDerby server =
          new EmbeddedDerby(MemoryFolder.create("derby"), FreePort.find(), lockTimeout);
      server.launch();
      return server;
    } catch (IOException e) {
      throw new UncheckedIOException("an embedded Derby server does not start", e);
    }
  }

  public int port() {
    return port;
  }

  /** The folder of its data. */
  public Path directory() {
    return directory;
  }

  Process process() {
    return process;
  }

  /** Ends the server at once, without a write. */
  public void kill() {
    process.destroyForcibly().onExit().join();
  }

  /** Kills the server if it runs, and starts it again with the same data and port. */
  public void restart() {
    kill();
    try {
      launch();
    } catch (IOException e) {
      throw new UncheckedIOException("the server in " + directory + " does not start again", e);
    }
  }

  /** Ends the server and deletes its data. */
  @Override
  public void close() {
    kill();
    try {
      FolderTree.delete(directory);
    } catch (IOException e) {
      throw new UncheckedIOException("the data of the server are not deleted", e);
    }
  }

  private void launch() throws IOException {
    Path log = directory.resolve(LOG);
    process =
        new ProcessBuilder(command())
            .directory(directory.toFile())
            .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start();
    BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
    String line = output.readLine();
    while (line != null && !line.equals(DerbyProgram.READY)) {
      line = output.readLine();
    }
    if (line == null) {
      kill();
      throw new IOException("the server does not answer:\n" + Files.readString(log));
    }
  }

  private List<String> command() {
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-Xmx256m",
        "-XX:TieredStopAtLevel=1",
        "-XX:+UseSerialGC",
        // Derby prints times in its own time zone, in which some may not exist.
        "-Duser.timezone=UTC",
        "-Dderby.system.home=" + directory,
        "-Dderby.locks.waitTimeout=" + lockTimeout.toSeconds(),
        "-Dderby.locks.deadlockTimeout=1",
        // Otherwise the queries of the metadata are compiled again while sessions use them.
        "-Dderby.language.stalePlanCheckInterval=" + Integer.MAX_VALUE,
        "-cp",
        Stream.of(DerbyProgram.class, EmbeddedDriver.class, NetworkServerControl.class)
            .map(EmbeddedDerby::locationOf)
            .collect(Collectors.joining(File.pathSeparator)),
        DerbyProgram.class.getName(),
        Integer.toString(port),
        DATABASE);
  }

  private static String locationOf(Class<?> type) {
    try {
      return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
    } catch (URISyntaxException e) {
      throw new IllegalStateException("BUG: the place of %s is no path".formatted(type), e);
    }
  }
}
