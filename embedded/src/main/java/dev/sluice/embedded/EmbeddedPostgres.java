package dev.sluice.embedded;

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
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/**
 * A PostgreSQL server that needs no installation: its binaries come as a library. Listens on
 * loopback on a free port, trusts its superuser {@code postgres}, logs logically, and runs as root
 * or as an ordinary user. Each use of it is from one thread.
 */
public final class EmbeddedPostgres implements AutoCloseable {
  private static final String SUPERUSER = "postgres";

  private final Closeable server;
  private final int port;
  private final Path directory;

  private EmbeddedPostgres(Closeable server, int port, Path directory) {
    this.server = server;
    this.port = port;
    this.directory = directory;
  }

  /** The newest version, with all defaults. */
  public static EmbeddedPostgres start() {
    return builder().start();
  }

  public static Builder builder() {
    return new Builder();
  }

  public int port() {
    return port;
  }

  /** With the superuser, for any of the server's databases. */
  public String jdbcUrl(String database) {
    return "jdbc:postgresql://127.0.0.1:" + port() + "/" + database + "?user=" + SUPERUSER;
  }

  /** A new connection of the superuser to the database {@code postgres}. */
  public Connection connect() throws SQLException {
    return connect("postgres");
  }

  public Connection connect(String database) throws SQLException {
    return DriverManager.getConnection(jdbcUrl(database));
  }

  public void createDatabase(String name) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE DATABASE \"" + name.replace("\"", "\"\"") + '"');
    }
  }

  /** The process id of the server's first process. */
  public long pid() {
    try {
      return Long.parseLong(Files.readAllLines(directory.resolve("postmaster.pid")).get(0).trim());
    } catch (IOException e) {
      throw new UncheckedIOException("no running server in " + directory, e);
    }
  }

  /** Empty where the server has ended. */
  private Optional<ProcessHandle> postmaster() {
    return Files.exists(directory.resolve("postmaster.pid"))
        ? ProcessHandle.of(pid())
        : Optional.empty();
  }

  /** Where the server keeps its data; a server started there again has the same data. */
  public Path directory() {
    return directory;
  }

  /** Kills the server without a chance to write anything, as a power cut would. */
  public void crash() {
    ProcessHandle.of(pid()).ifPresent(postmaster -> killTree(postmaster));
    close();
  }

  /**
   * A server that shuts down waits for what its replication clients have not confirmed, without a
   * limit; the library that starts it looks on for five seconds only. So this waits on, and kills
   * what is then still there: whoever closes a server may start it again at once.
   */
  private static void awaitEnd(ProcessHandle postmaster) {
    try {
      postmaster.onExit().orTimeout(30, TimeUnit.SECONDS).join();
    } catch (CompletionException e) {
      killTree(postmaster);
    }
  }

  private static void killTree(ProcessHandle postmaster) {
    var children = postmaster.descendants().toList();
    postmaster.destroyForcibly();
    children.forEach(ProcessHandle::destroyForcibly);
    for (ProcessHandle child : children) {
      child.onExit().orTimeout(10, TimeUnit.SECONDS).join();
    }
    postmaster.onExit().orTimeout(10, TimeUnit.SECONDS).join();
  }

  @Override
  public void close() {
    Optional<ProcessHandle> postmaster = postmaster();
    try {
      server.close();
      postmaster.ifPresent(EmbeddedPostgres::awaitEnd);
    } catch (IOException e) {
      throw new UncheckedIOException("the server in " + directory + " does not stop", e);
    }
  }

  /** Collects what a server is to be like. Not threadsafe. */
  public static final class Builder {
    private final Map<String, String> settings = new LinkedHashMap<>();
    private PostgresVersion version = PostgresVersion.NEWEST;
    private Path directory;
    private int port;

    private Builder() {
      settings.put("wal_level", "logical");
      settings.put("max_wal_senders", "16");
      settings.put("max_replication_slots", "16");
      settings.put("unix_socket_directories", "");
    }

    public Builder version(PostgresVersion newVersion) {
      version = newVersion;
      return this;
    }

    /** Keeps the data there after the server has ended; else it goes with the server. */
    public Builder directory(Path newDirectory) {
      directory = newDirectory;
      return this;
    }

    /** A fixed port, to come back on after a crash; else a free one. */
    public Builder port(int newPort) {
      port = newPort;
      return this;
    }

    /** Any setting of postgresql.conf. */
    public Builder setting(String name, String value) {
      settings.put(name, value);
      return this;
    }

    /** Safe against power cuts: slower, and off by default. */
    public Builder fsync() {
      return setting("fsync", "on").setting("synchronous_commit", "on");
    }

    /**
     * @throws UncheckedIOException where the server does not come up
     * @throws IllegalStateException where an installed version is given no directory
     */
    public EmbeddedPostgres start() {
      if (version == PostgresVersion.INSTALLED && directory == null) {
        throw new IllegalStateException("a server of an installed version needs a directory");
      }
      try {
        boolean kept = directory != null;
        Path data = kept ? directory : Files.createTempDirectory("sluice-postgres-");
        Files.createDirectories(data);
        int free = port == 0 ? FreePort.find() : port;
        if (version == PostgresVersion.INSTALLED) {
          return new EmbeddedPostgres(InstalledPostgres.start(data, free, settings), free, data);
        }
        var builder =
            io.zonky.test.db.postgres.embedded.EmbeddedPostgres.builder()
                .setPort(free)
                .setDataDirectory(data)
                .setCleanDataDirectory(!kept)
                .setPGStartupWait(Duration.ofSeconds(60))
                .setOutputRedirector(ProcessBuilder.Redirect.DISCARD)
                .setErrorRedirector(ProcessBuilder.Redirect.DISCARD)
                .setPgBinaryResolver(version.binaries());
        settings.forEach(builder::setServerConfig);
        var started = builder.start();
        return new EmbeddedPostgres(started, free, data);
      } catch (IOException e) {
        throw new UncheckedIOException("an embedded PostgreSQL " + version + " does not start", e);
      }
    }
  }
}
