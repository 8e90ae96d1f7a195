package dev.sluice.embedded.mariadb;

import dev.sluice.embedded.FolderTree;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * A running server of MariaDB or MySQL. It listens on loopback, trusts its user {@code root},
 * writes a binary log of rows with all columns and full metadata, and runs as root or as an
 * ordinary user. It ends with this JVM, also if that is killed. Used by one thread.
 */
public abstract sealed class EmbeddedServer implements AutoCloseable
    permits EmbeddedMariadb, EmbeddedMysql {
  private static final String SUPERUSER = "root";
  private static final Duration START_TIMEOUT = Duration.ofMinutes(5);
  private static final Duration POLL_INTERVAL = Duration.ofMillis(20);

  private final List<String> program;
  private final Place place;
  private final List<String> options;
  private final Map<String, String> environment;
  private ServerProcess process;

  /**
   * Where a server is.
   *
   * @param directory of its data
   * @param kept whether they stay when it ends
   */
  record Place(Path directory, boolean kept, int port) {}

  EmbeddedServer(
      List<String> program, Place place, List<String> options, Map<String, String> environment) {
    this.program = List.copyOf(program);
    this.place = place;
    this.options = List.copyOf(options);
    this.environment = Map.copyOf(environment);
  }

  public int port() {
    return place.port();
  }

  /** The process id of the server. */
  public long pid() {
    return process.pid();
  }

  /** The data directory; a server started there again has the same data. */
  public Path directory() {
    return place.directory();
  }

  /** The superuser's URL of one of the server's databases. */
  public String jdbcUrl(String database) {
    return "jdbc:mariadb://127.0.0.1:" + port() + "/" + database + "?user=" + SUPERUSER;
  }

  /** Opens a connection of the superuser to the database {@code test}. */
  public Connection connect() throws SQLException {
    return connect("test");
  }

  public Connection connect(String database) throws SQLException {
    return DriverManager.getConnection(jdbcUrl(database));
  }

  public void createDatabase(String name) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE DATABASE `" + name.replace("`", "``") + '`');
    }
  }

  /** Kills the server at once, without a write, as a power cut does. */
  public void kill() {
    try {
      process.kill();
    } catch (IOException e) {
      throw new UncheckedIOException("the server in " + directory() + " does not end", e);
    }
  }

  /** Stops the server, if it runs, and starts it again with the same data and port. */
  public void restart() {
    try {
      if (process.isAlive()) {
        process.stop();
      }
      launch();
    } catch (IOException e) {
      throw new UncheckedIOException("the server in " + directory() + " does not start again", e);
    }
  }

  /** Ends the server: in order if its data are kept, otherwise at once. */
  @Override
  public void close() {
    try {
      if (place.kept()) {
        process.stop();
      } else {
        process.kill();
        FolderTree.delete(directory());
      }
    } catch (IOException e) {
      throw new UncheckedIOException("the server in " + directory() + " does not stop", e);
    }
  }

  final void launch() throws IOException {
    process = ServerProcess.start(program, directory(), options, environment);
    long deadline = System.nanoTime() + START_TIMEOUT.toNanos();
    while (!answers()) {
      if (!process.isAlive() || System.nanoTime() > deadline) {
        process.kill();
        throw new IOException("the server does not answer:\n" + process.lastWords());
      }
      LockSupport.parkNanos(POLL_INTERVAL.toNanos());
    }
  }

  private boolean answers() {
    try (Connection connection = connect("mysql")) {
      return connection.isValid(0);
    } catch (SQLException e) {
      return false;
    }
  }
}
