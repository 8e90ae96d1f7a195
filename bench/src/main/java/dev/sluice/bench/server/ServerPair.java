package dev.sluice.bench.server;

import dev.sluice.embedded.mariadb.EmbeddedMariadb;
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
public final class ServerPair implements AutoCloseable {
  private static final Duration SLOT_TIMEOUT = Duration.ofMinutes(5);

  private final PostgresVersion version;
  private final boolean durable;
  private final Path folder;
  private final EmbeddedPostgres source;
  private final Target target;
  private final Thread atExit = new Thread(this::stop, "bench-servers-stop");
  private boolean stopped;

  private ServerPair(
      PostgresVersion version,
      boolean durable,
      Path folder,
      EmbeddedPostgres source,
      Target target) {
    this.version = version;
    this.durable = durable;
    this.folder = folder;
    this.source = source;
    this.target = target;
  }

  /** The target's server. */
  private record Target(Database.Kind kind, int port, long pid, Runnable end) {
    private static Target of(EmbeddedPostgres server) {
      return new Target(Database.Kind.POSTGRESQL, server.port(), server.pid(), server::close);
    }

    /** Commits wait for the disk: Sluice does not start on a server where they do not. */
    private static Target mariadb(Path directory) {
      EmbeddedMariadb server =
          EmbeddedMariadb.builder()
              .directory(directory)
              .fsync()
              .setting("innodb-buffer-pool-size", "1G")
              .setting("innodb-log-file-size", "1G")
              .start();
      return new Target(Database.Kind.MARIADB, server.port(), server.pid(), server::close);
    }
  }

  /** Starts both in a new folder under {@code java.io.tmpdir}. */
  public static ServerPair start() throws IOException {
    return start(PostgresVersion.NEWEST, Database.Kind.POSTGRESQL);
  }

  /** The same with PostgreSQL of another version, or a target of another kind. */
  public static ServerPair start(PostgresVersion version, Database.Kind target) throws IOException {
    return start(version, false, target);
  }

  /** The same with the durability of a server's defaults: each commit waits for the disk. */
  public static ServerPair startDurable(PostgresVersion version) throws IOException {
    return start(version, true, Database.Kind.POSTGRESQL);
  }

  private static ServerPair start(PostgresVersion version, boolean durable, Database.Kind kind)
      throws IOException {
    Path folder = Files.createTempDirectory("sluice-bench-");
    EmbeddedPostgres source = null;
    try {
      source = server(version, durable, folder.resolve("source"));
      Path directory = folder.resolve("target");
      Target target =
          kind == Database.Kind.MARIADB
              ? Target.mariadb(directory)
              : Target.of(server(version, durable, directory));
      ServerPair servers = new ServerPair(version, durable, folder, source, target);
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

  /** Versions, and what differs from the servers' defaults, for the conditions of a table. */
  public String conditions() throws SQLException {
    String postgres =
        "PostgreSQL %s (%s, fsync %s, shared_buffers 512 MB, max_wal_size 8 GB, autovacuum off)"
            .formatted(
                version(),
                version == PostgresVersion.INSTALLED ? "installed" : "embedded",
                durable ? "on" : "off");
    if (target.kind() == Database.Kind.POSTGRESQL) {
      return "source and target " + postgres;
    }
    try (Connection connection = target("").maintenance().connect()) {
      return "source %s, target MariaDB %s (embedded, binary log on, sync_binlog and innodb_flush_log_at_trx_commit 1, innodb_doublewrite off, buffer pool and log of 1 GB)"
          .formatted(
              postgres, Database.single(connection, "SELECT SUBSTRING_INDEX(version(), '-', 1)"));
    }
  }

  /** A new folder for what a run needs; deleted at the end. */
  public Path newFolder(String name) throws IOException {
    return Files.createTempDirectory(folder, name + "-");
  }

  public Database source(String name) {
    return new Database(source.port(), name);
  }

  public Database target(String name) {
    return new Database(target.kind(), target.port(), name);
  }

  /** Creates a copy of a database, which must have no connections. */
  public static Database copy(Database template, String name) throws SQLException {
    if (template.isMariadb()) {
      return copyOfMariadb(template, create(template.sibling(name)));
    }
    template
        .maintenance()
        .execute(
            "CREATE DATABASE " + name + " TEMPLATE " + template.name() + " STRATEGY FILE_COPY",
            "CHECKPOINT");
    return template.sibling(name);
  }

  /** What has to be written to files is, so that no contender pays for it. */
  private static Database copyOfMariadb(Database template, Database copy) throws SQLException {
    try (Connection connection = copy.connect()) {
      List<String> tables = Database.column(connection, "SHOW TABLES FROM " + template.name());
      for (String table : tables) {
        String original = template.name() + "." + table;
        Database.execute(
            connection,
            List.of(
                "CREATE TABLE " + table + " LIKE " + original,
                "INSERT INTO " + table + " SELECT * FROM " + original,
                "FLUSH TABLES " + table + " FOR EXPORT",
                "UNLOCK TABLES"));
      }
    }
    return copy;
  }

  public static Database create(Database database) throws SQLException {
    database.maintenance().execute("CREATE DATABASE " + database.name());
    return database;
  }

  /** With Sluice's control tables, which MariaDB has in a database of their own. */
  public static void drop(Database database) throws SQLException {
    if (database.isMariadb()) {
      database
          .maintenance()
          .execute("DROP DATABASE " + database.name(), "DROP DATABASE IF EXISTS sluice_control");
    } else {
      database.maintenance().execute("DROP DATABASE " + database.name() + " WITH (FORCE)");
    }
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

  /** PostgreSQL's, such as {@code 18.6}. */
  private String version() throws SQLException {
    try (Connection connection = source("postgres").connect()) {
      return Database.single(connection, "SHOW server_version").split(" ")[0];
    }
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
        target.end().run();
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
