package dev.sluice.embedded.mariadb;

import dev.sluice.embedded.FolderTree;
import dev.sluice.embedded.FreePort;
import dev.sluice.embedded.MemoryFolder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * A MariaDB server that needs no installation: its binaries come as a library, for Linux on x86-64.
 * It listens on loopback on a free port, trusts its user {@code root}, writes a binary log of rows
 * with all columns and full metadata, and runs as root or as an ordinary user. It ends with this
 * JVM, also if that is killed. Used by one thread.
 */
public final class EmbeddedMariadb implements AutoCloseable {
  private static final String SUPERUSER = "root";
  private static final Duration START_TIMEOUT = Duration.ofMinutes(5);
  private static final Duration POLL_INTERVAL = Duration.ofMillis(20);

  private final Path directory;
  private final boolean kept;
  private final int port;
  private final List<String> options;
  private final Map<String, String> environment;
  private MariadbProcess process;

  private EmbeddedMariadb(
      Path directory,
      boolean kept,
      int port,
      List<String> options,
      Map<String, String> environment) {
    this.directory = directory;
    this.kept = kept;
    this.port = port;
    this.options = options;
    this.environment = Map.copyOf(environment);
  }

  /** Starts a server with all defaults. */
  public static EmbeddedMariadb start() {
    return builder().start();
  }

  public static Builder builder() {
    return new Builder();
  }

  /** Whether the binaries run on this machine. */
  public static boolean isAvailable() {
    return MariadbBinaries.areForThisMachine();
  }

  public int port() {
    return port;
  }

  /** The process id of the server. */
  public long pid() {
    return process.pid();
  }

  /** The data directory; a server started there again has the same data. */
  public Path directory() {
    return directory;
  }

  /** The superuser's URL of one of the server's databases. */
  public String jdbcUrl(String database) {
    return "jdbc:mariadb://127.0.0.1:" + port + "/" + database + "?user=" + SUPERUSER;
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
      throw new UncheckedIOException("the server in " + directory + " does not end", e);
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
      throw new UncheckedIOException("the server in " + directory + " does not start again", e);
    }
  }

  /** Ends the server: in order if its data are kept, otherwise at once. */
  @Override
  public void close() {
    try {
      if (kept) {
        process.stop();
      } else {
        process.kill();
        FolderTree.delete(directory);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("the server in " + directory + " does not stop", e);
    }
  }

  private void launch() throws IOException {
    process = MariadbProcess.start(MariadbBinaries.unpacked(), directory, options, environment);
    long deadline = System.nanoTime() + START_TIMEOUT.toNanos();
    while (!answers()) {
      if (!process.isAlive() || System.nanoTime() > deadline) {
        process.kill();
        throw new IOException("mariadbd does not answer:\n" + process.lastWords());
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

  /** Collects the options of a server. Not threadsafe. */
  public static final class Builder {
    private final Map<String, String> settings = new LinkedHashMap<>();
    private final Map<String, String> environment = new LinkedHashMap<>();
    private Path directory;
    private int port;

    private Builder() {
      settings.put("bind-address", "127.0.0.1");
      settings.put("socket", "mariadb.sock");
      settings.put("pid-file", "mariadb.pid");
      settings.put("skip-name-resolve", "ON");
      // With it a server makes a certificate at each start, which takes ten seconds of CPU time.
      settings.put("ssl", "OFF");
      settings.put("server-id", "1");
      settings.put("log-bin", "binlog");
      settings.put("binlog-format", "ROW");
      settings.put("binlog-row-image", "FULL");
      settings.put("binlog-row-metadata", "FULL");
      settings.put("character-set-server", "utf8mb4");
      settings.put("innodb-buffer-pool-size", "64M");
      // Commits survive a killed process, and not a power cut.
      settings.put("innodb-flush-log-at-trx-commit", "2");
      settings.put("innodb-doublewrite", "OFF");
      settings.put("innodb-use-native-aio", "OFF");
      settings.put("sync-binlog", "0");
      settings.put("max-allowed-packet", "64M");
    }

    /** Keeps the data in this directory; without one they are deleted when the server ends. */
    public Builder directory(Path newDirectory) {
      directory = newDirectory;
      return this;
    }

    /** Sets a fixed port; the default is a free one. */
    public Builder port(int newPort) {
      port = newPort;
      return this;
    }

    /** Sets any option of the server, by the name that its command line has. */
    public Builder setting(String name, String value) {
      settings.put(name, value);
      return this;
    }

    /** Sets the time zone of the server's machine, such as {@code Asia/Tokyo}. */
    public Builder timeZone(String name) {
      environment.put("TZ", name);
      return this;
    }

    /** Makes commits durable against power cuts; slower, and off by default. */
    public Builder fsync() {
      return setting("innodb-flush-log-at-trx-commit", "1").setting("sync-binlog", "1");
    }

    /**
     * Starts the server.
     *
     * @throws UncheckedIOException if it does not start
     */
    public EmbeddedMariadb start() {
      try {
        boolean kept = directory != null;
        Path data = kept ? directory : MemoryFolder.create("mariadb");
        Files.createDirectories(data);
        if (!Files.exists(data.resolve("mysql"))) {
          MariadbTemplate.copyTo(data, MariadbBinaries.unpacked());
        }
        int free = port == 0 ? FreePort.find() : port;
        settings.put("port", Integer.toString(free));
        EmbeddedMariadb server =
            new EmbeddedMariadb(
                data.toAbsolutePath(),
                kept,
                free,
                settings.entrySet().stream()
                    .map(setting -> "--" + setting.getKey() + "=" + setting.getValue())
                    .toList(),
                environment);
        server.launch();
        return server;
      } catch (IOException e) {
        throw new UncheckedIOException("an embedded MariaDB does not start", e);
      }
    }
  }
}
