package dev.sluice.bench.server;

import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.embedded.postgres.PostgresVersion;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * A source and a target server of a benchmark, and the folder that everything of it is kept in.
 * {@code close} stops the servers and deletes the folder, also at the end of the process. Owned by
 * the benchmark's thread.
 */
public final class Servers implements AutoCloseable {
  /** Connected to while other databases are made and dropped. */
  private static final String MAINTENANCE = "postgres";

  private static final Duration SLOT_TIMEOUT = Duration.ofMinutes(5);

  private final PostgresVersion version;
  private final boolean durable;
  private final Path folder;
  private final EmbeddedPostgres source;
  private final EmbeddedPostgres target;
  private final Thread atExit = new Thread(this::stop, "bench-servers-stop");
  private boolean stopped;

  private Servers(
      PostgresVersion version,
      boolean durable,
      Path folder,
      EmbeddedPostgres source,
      EmbeddedPostgres target) {
    this.version = version;
    this.durable = durable;
    this.folder = folder;
    this.source = source;
    this.target = target;
  }

  /** Starts both in a new folder under {@code java.io.tmpdir}. */
  public static Servers start() throws IOException {
    return start(PostgresVersion.NEWEST);
  }

  /** The same with servers of another version. */
  public static Servers start(PostgresVersion version) throws IOException {
    return start(version, false);
  }

  /** The same with the durability of a server's defaults: each commit waits for the disk. */
  public static Servers startDurable(PostgresVersion version) throws IOException {
    return start(version, true);
  }

  private static Servers start(PostgresVersion version, boolean durable) throws IOException {
    Path folder = Files.createTempDirectory("sluice-bench-");
    EmbeddedPostgres source = null;
    try {
      source = server(version, durable, folder.resolve("source"));
      Servers servers =
          new Servers(
              version, durable, folder, source, server(version, durable, folder.resolve("target")));
      Runtime.getRuntime().addShutdownHook(servers.atExit);
      return servers;
    } catch (RuntimeException e) {
      if (source != null) {
        source.close();
      }
      delete(folder);
      throw e;
    }
  }

  private static EmbeddedPostgres server(PostgresVersion version, boolean durable, Path directory) {
    EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder();
    if (durable) {
      builder.fsync().setting("full_page_writes", "on");
    }
    return builder
        .version(version)
        .directory(directory)
        .setting("shared_buffers", "512MB")
        .setting("max_wal_size", "8GB")
        .setting("max_replication_slots", "60")
        .setting("max_connections", "200")
        // Otherwise a walsender gets a commit only when the WAL writer runs, up to 0.2 s later.
        .setting("synchronous_commit", "on")
        .setting("track_commit_timestamp", "on")
        .setting("autovacuum", "off")
        .start();
  }

  /** What differs from the servers' defaults, for the conditions of a table. */
  public String settings() {
    return "fsync "
        + (durable ? "on" : "off")
        + ", shared_buffers 512 MB, max_wal_size 8 GB, autovacuum off";
  }

  /** A new folder for what a run needs; deleted at the end. */
  public Path newFolder(String name) throws IOException {
    return Files.createTempDirectory(folder, name + "-");
  }

  public Database source(String name) {
    return new Database(source.port(), name);
  }

  public Database target(String name) {
    return new Database(target.port(), name);
  }

  /** Creates a copy of a database, which must have no connections. */
  public static Database copy(Database template, String name) throws SQLException {
    template
        .sibling(MAINTENANCE)
        .execute(
            "CREATE DATABASE " + name + " TEMPLATE " + template.name() + " STRATEGY FILE_COPY",
            "CHECKPOINT");
    return template.sibling(name);
  }

  public static Database create(Database database) throws SQLException {
    database.sibling(MAINTENANCE).execute("CREATE DATABASE " + database.name());
    return database;
  }

  public static void drop(Database database) throws SQLException {
    database.sibling(MAINTENANCE).execute("DROP DATABASE " + database.name() + " WITH (FORCE)");
  }

  /** Makes a slot that keeps the source's log from now on. */
  public static void createSlot(Database database, String slot) throws SQLException {
    database.execute("SELECT pg_create_logical_replication_slot('" + slot + "', 'pgoutput')");
  }

  /** Drops a slot, after its reader has released it. */
  public static void dropSlot(Database database, String slot)
      throws SQLException, InterruptedException {
    try (Connection connection = database.connect()) {
      Waiting.until(
          "the reader of slot " + slot + " to let go of it",
          SLOT_TIMEOUT,
          () ->
              Database.single(
                      connection,
                      "SELECT coalesce(bool_or(active), false) FROM pg_replication_slots"
                          + " WHERE slot_name = '"
                          + slot
                          + "'")
                  .equals("f"));
      Database.execute(connection, List.of("SELECT pg_drop_replication_slot('" + slot + "')"));
    }
  }

  public double sourceCpu() {
    return CpuTime.ofTree(source.pid());
  }

  public double targetCpu() {
    return CpuTime.ofTree(target.pid());
  }

  /** The process id of the source's first process. */
  public long sourcePid() {
    return source.pid();
  }

  /** The process id of the target's first process. */
  public long targetPid() {
    return target.pid();
  }

  /** Such as {@code 18.6}. */
  public String version() throws SQLException {
    try (Connection connection = target.connect()) {
      return Database.single(connection, "SHOW server_version").split(" ")[0];
    }
  }

  /** Where the servers' programs come from. */
  public String origin() {
    return version == PostgresVersion.INSTALLED ? "installed" : "embedded";
  }

  public int majorVersion() throws SQLException {
    return Integer.parseInt(version().split("\\.")[0]);
  }

  @Override
  public void close() {
    stop();
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException e) {
      // The process is ending already, and stops them itself.
    }
  }

  private synchronized void stop() {
    if (stopped) {
      return;
    }
    stopped = true;
    try {
      source.close();
    } finally {
      try {
        target.close();
      } finally {
        delete(folder);
      }
    }
  }

  private static void delete(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException | UncheckedIOException e) {
      System.err.println(folder + " cannot be deleted completely: " + e);
    }
  }
}
