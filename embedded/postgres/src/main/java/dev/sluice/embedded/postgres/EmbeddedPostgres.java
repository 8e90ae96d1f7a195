package dev.sluice.embedded.postgres;

import dev.sluice.embedded.FolderTree;
import dev.sluice.embedded.FreePort;
import dev.sluice.embedded.MemoryFolder;
import java.io.Closeable;
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
import java.util.Map;
import java.util.Optional;

/**
 * A PostgreSQL server that needs no installation: its binaries come as a library. It listens on
 * loopback on a free port, trusts its superuser {@code postgres}, uses {@code wal_level} logical,
 * and runs as root or as an ordinary user. Used by one thread.
 */
public final class EmbeddedPostgres implements AutoCloseable {
  private static final String SUPERUSER = "postgres";
  static final Duration START_TIMEOUT = Duration.ofMinutes(5);

  private final Closeable server;
  private final int port;
  private final Path directory;
  private final boolean kept;

  private EmbeddedPostgres(Closeable server, int port, Path directory, boolean kept) {
    this.server = server;
    this.port = port;
    this.directory = directory;
    this.kept = kept;
  }

  /** Starts the newest version, with all defaults. */
  public static EmbeddedPostgres start() {
    return builder().start();
  }

  public static Builder builder() {
    return new Builder();
  }

  public int port() {
    return port;
  }

  /** The superuser's URL of one of the server's databases. */
  public String jdbcUrl(String database) {
    return "jdbc:postgresql://127.0.0.1:" + port() + "/" + database + "?user=" + SUPERUSER;
  }

  /** Opens a connection of the superuser to the database {@code postgres}. */
  public Connection connect() throws SQLException {
    return connect("postgres");
  }

  public Connection connect(String database) throws SQLException {
    return DriverManager.getConnection(jdbcUrl(database));
  }

  /**
   * Creates an empty database. Its files are copied, not logged page by page, which takes half the
   * processor time where nothing waits for a disk.
   */
  public void createDatabase(String name) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "CREATE DATABASE \"" + name.replace("\"", "\"\"") + "\" STRATEGY FILE_COPY");
    }
  }

  /**
   * The process id of the server's first process.
   *
   * @throws IllegalStateException if the server has ended
   */
  public long pid() {
    return running().pid();
  }

  /**
   * Stops all of the server's processes where they are: it answers nobody, and its connections stay
   * open.
   *
   * @throws IllegalStateException if the server has ended
   */
  public void freeze() {
    running().freeze();
  }

  /**
   * Lets a frozen server go on.
   *
   * @throws IllegalStateException if the server has ended
   */
  public void thaw() {
    running().thaw();
  }

  private PostgresProcess running() {
    return process()
        .orElseThrow(() -> new IllegalStateException("no running server in " + directory));
  }

  private Optional<PostgresProcess> process() {
    try {
      return PostgresProcess.in(directory);
    } catch (IOException e) {
      throw new UncheckedIOException(
          "the process of the server in " + directory + " cannot be read", e);
    }
  }

  /** The data directory; a server started there again has the same data. */
  public Path directory() {
    return directory;
  }

  /** Kills the server at once, without a write, as a power cut does. */
  public void crash() {
    process().ifPresent(PostgresProcess::kill);
    try {
      forgetProcess();
    } catch (IOException e) {
      throw new UncheckedIOException(
          "the file of the killed server's process in " + directory + " cannot be deleted", e);
    }
    close();
  }

  /**
   * Deletes the file with the killed process's number. That process may not be reaped yet: a stop
   * would wait for it, and a start would treat it as running.
   */
  private void forgetProcess() throws IOException {
    Files.deleteIfExists(directory.resolve("postmaster.pid"));
  }

  /** Ends the server: in order if its data are kept, otherwise at once. */
  @Override
  public void close() {
    Optional<PostgresProcess> process = process();
    try {
      if (!kept && process.isPresent()) {
        process.get().quit();
        forgetProcess();
      }
      server.close();
      if (process.isPresent()) {
        process.get().awaitEnd();
        forgetProcess();
      }
      if (!kept) {
        FolderTree.delete(directory);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("the server in " + directory + " does not stop", e);
    }
  }

  /** Collects the options of a server. Not threadsafe. */
  public static final class Builder {
    private final Map<String, String> settings = new LinkedHashMap<>();
    private PostgresVersion version = PostgresVersion.NEWEST;
    private Path directory;
    private int port;

    private Builder() {
      settings.put("wal_level", "logical");
      settings.put("max_wal_senders", "16");
      settings.put("max_replication_slots", "64");
      settings.put("unix_socket_directories", "");
    }

    public Builder version(PostgresVersion newVersion) {
      version = newVersion;
      return this;
    }

    /** Keeps the data in this directory; without one they are deleted when the server ends. */
    public Builder directory(Path newDirectory) {
      directory = newDirectory;
      return this;
    }

    /** Sets a fixed port, to start on again after a crash; the default is a free one. */
    public Builder port(int newPort) {
      port = newPort;
      return this;
    }

    /** Sets any setting of postgresql.conf. */
    public Builder setting(String name, String value) {
      settings.put(name, value);
      return this;
    }

    /** Makes commits durable against power cuts; slower, and off by default. */
    public Builder fsync() {
      return setting("fsync", "on").setting("synchronous_commit", "on");
    }

    /**
     * Starts the server.
     *
     * @throws UncheckedIOException if the server does not start
     * @throws IllegalStateException if an installed version has no directory
     */
    public EmbeddedPostgres start() {
      return start(PostgresTemplate.of(version));
    }

    /** Starts the server, with data from initdb instead of a template. */
    EmbeddedPostgres startWithoutTemplate() {
      return start(Optional.empty());
    }

    private EmbeddedPostgres start(Optional<PostgresTemplate> template) {
      if (version == PostgresVersion.INSTALLED && directory == null) {
        throw new IllegalStateException("a server of an installed version needs a directory");
      }
      try {
        boolean kept = directory != null;
        Path data = kept ? directory : MemoryFolder.create("postgres");
        Files.createDirectories(data);
        int free = port == 0 ? FreePort.find() : port;
        if (version == PostgresVersion.INSTALLED) {
          return new EmbeddedPostgres(
              InstalledPostgres.start(data, free, settings), free, data, kept);
        }
        if (template.isPresent() && !Files.exists(data.resolve("PG_VERSION"))) {
          template.get().copyTo(data);
        }
        var builder =
            io.zonky.test.db.postgres.embedded.EmbeddedPostgres.builder()
                .setPort(free)
                .setDataDirectory(data)
                // Otherwise the library would first create them again.
                .setCleanDataDirectory(!kept && template.isEmpty())
                .setPGStartupWait(START_TIMEOUT)
                .setOutputRedirector(ProcessBuilder.Redirect.DISCARD)
                .setErrorRedirector(ProcessBuilder.Redirect.DISCARD)
                .setPgBinaryResolver(version.binaries());
        settings.forEach(builder::setServerConfig);
        return new EmbeddedPostgres(builder.start(), free, data, kept);
      } catch (IOException e) {
        throw new UncheckedIOException("an embedded PostgreSQL " + version + " does not start", e);
      }
    }
  }
}
