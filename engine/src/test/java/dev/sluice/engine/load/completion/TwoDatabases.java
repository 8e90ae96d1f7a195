package dev.sluice.engine.load.completion;

import dev.sluice.config.TableId;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.config.settings.DataSize;
import dev.sluice.connector.api.source.load.SourceReader;
import dev.sluice.connector.postgres.PostgresReader;
import dev.sluice.connector.postgres.server.SourceServer;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.embedded.postgres.PostgresVersion;
import dev.sluice.engine.load.LoadRoute;
import dev.sluice.load.log.CompletionStepStore;
import dev.sluice.sink.control.schema.CheckpointStore;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.target.kind.TargetServers;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** An empty source and an empty target database, on servers that all tests of the JVM share. */
public final class TwoDatabases implements AutoCloseable {

  /** Which server is the source and which the target. */
  public enum Direction {
    TO_OLDER(PostgresVersion.NEWEST, PostgresVersion.OLDER),
    TO_NEWER(PostgresVersion.OLDER, PostgresVersion.NEWEST);

    private final PostgresVersion source;
    private final PostgresVersion target;

    Direction(PostgresVersion source, PostgresVersion target) {
      this.source = source;
      this.target = target;
    }
  }

  private static final Map<PostgresVersion, EmbeddedPostgres> SERVERS =
      new EnumMap<>(PostgresVersion.class);
  static final String CONTROL_SCHEMA = "sluice_control";
  private static final AtomicInteger DATABASES = new AtomicInteger();

  private final EmbeddedPostgres sourceServer;
  private final EmbeddedPostgres targetServer;
  private final String name;
  private final Connection source;
  private final Connection target;

  public TwoDatabases(Direction direction) throws SQLException {
    sourceServer = server(direction.source);
    targetServer = server(direction.target);
    name = "load_" + DATABASES.incrementAndGet();
    sourceServer.createDatabase(name);
    targetServer.createDatabase(name);
    source = sourceServer.connect(name);
    target = targetServer.connect(name);
  }

  /** The server of that version, started at the first call. */
  public static synchronized EmbeddedPostgres server(PostgresVersion version) {
    return SERVERS.computeIfAbsent(
        version,
        wanted -> {
          EmbeddedPostgres started = EmbeddedPostgres.builder().version(wanted).start();
          Runtime.getRuntime().addShutdownHook(new Thread(started::close));
          return started;
        });
  }

  public SourceReader source() {
    return sourceAs("postgres");
  }

  public SourceReader sourceAs(String user) {
    return new PostgresReader(server(user));
  }

  /** Opens sessions on the source as the daemon does. */
  public SourceServer sourceServer() {
    return server("postgres");
  }

  private SourceServer server(String user) {
    return new SourceServer(url(sourceServer), user, null, "sluice-test");
  }

  public TargetServer target() {
    return TargetServers.postgres(url(targetServer), "postgres", null, "sluice-test", 0);
  }

  /** From the source to the target. */
  public LoadRoute route(TableMappings mappings) {
    return new LoadRoute(source(), target(), mappings);
  }

  /**
   * The settings of the tables' completion.
   *
   * @param stopsAtFailure whether a step that the target refuses ends it
   */
  public CompletionSettings completion(boolean stopsAtFailure) {
    new CheckpointStore(target(), CONTROL_SCHEMA).create();
    return new CompletionSettings(
        new CompletionStepStore(target(), CONTROL_SCHEMA, name),
        2,
        DataSize.ofMebibytes(16),
        stopsAtFailure,
        true);
  }

  /** A snapshot for as long as the connection is open. */
  static String exportSnapshot(Connection connection) throws SQLException {
    connection.setAutoCommit(false);
    connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
    return rows(connection, "SELECT pg_export_snapshot()").get(0);
  }

  public void onSource(String... statements) throws SQLException {
    run(source, statements);
  }

  public void onTarget(String... statements) throws SQLException {
    run(target, statements);
  }

  public void onBoth(String... statements) throws SQLException {
    onSource(statements);
    onTarget(statements);
  }

  public List<String> sourceRows(String sql) throws SQLException {
    return rows(source, sql);
  }

  public List<String> targetRows(String sql) throws SQLException {
    return rows(target, sql);
  }

  /** A new connection of the superuser to the source. */
  public Connection connectToSource() throws SQLException {
    return sourceServer.connect(name);
  }

  public static TableId table(String name) {
    return new TableId("app", name);
  }

  @Override
  public void close() throws SQLException {
    source.close();
    target.close();
  }

  private String url(EmbeddedPostgres server) {
    return "jdbc:postgresql://127.0.0.1:" + server.port() + "/" + name;
  }

  private static void run(Connection connection, String... statements) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  private static List<String> rows(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      int columns = rows.getMetaData().getColumnCount();
      List<String> found = new ArrayList<>();
      while (rows.next()) {
        List<String> values = new ArrayList<>();
        for (int i = 1; i <= columns; i++) {
          values.add(rows.getString(i));
        }
        found.add(String.join(" | ", values.stream().map(String::valueOf).toList()));
      }
      return found;
    }
  }

  /** A snapshot of the source, exported as long as it is open. */
  public final class Snapshot implements AutoCloseable {
    private final Connection connection;
    private final String name;

    public Snapshot() throws SQLException {
      connection = connectToSource();
      name = exportSnapshot(connection);
    }

    public String name() {
      return name;
    }

    @Override
    public void close() throws SQLException {
      connection.close();
    }
  }
}
