package dev.sluice.engine.validate.session;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.config.settings.DataSize;
import dev.sluice.config.transformation.ColumnNames;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.comparison.CheckpointQuery;
import dev.sluice.connector.api.comparison.ComparisonSource;
import dev.sluice.connector.api.comparison.ComparisonTarget;
import dev.sluice.connector.comparison.PostgresComparisonSource;
import dev.sluice.connector.comparison.PostgresComparisonTarget;
import dev.sluice.connector.comparison.SideServer;
import dev.sluice.connector.postgres.capture.MessagePrefixes;
import dev.sluice.connector.postgres.capture.OwnMessages;
import dev.sluice.connector.postgres.server.SourceServer;
import dev.sluice.connector.postgres.slot.PostgresLog;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.embedded.postgres.PostgresVersion;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.target.kind.TargetServers;
import dev.sluice.sink.touched.TouchedKeys;
import dev.sluice.sink.touched.TouchedLimits;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** A source and a target database on two servers, and a replication between them. */
public class MovingPair implements AutoCloseable {
  private static final Map<PostgresVersion, EmbeddedPostgres> SERVERS =
      new EnumMap<>(PostgresVersion.class);
  private static final AtomicInteger DATABASES = new AtomicInteger();

  private final EmbeddedPostgres sourceServer = server(PostgresVersion.NEWEST);
  private final EmbeddedPostgres targetServer = server(PostgresVersion.OLDER);
  private final String name = "moving_" + DATABASES.incrementAndGet();
  private final Connection source;
  private final Connection target;
  private TouchedKeys keys = completeFrom(0);
  private Replica replica;

  public MovingPair() throws SQLException {
    this("", "");
  }

  /**
   * @param sourceOptions of CREATE DATABASE
   */
  MovingPair(String sourceOptions, String targetOptions) throws SQLException {
    create(sourceServer, sourceOptions);
    create(targetServer, targetOptions);
    source = sourceServer.connect(name);
    target = targetServer.connect(name);
    onTarget(
        "CREATE SCHEMA control",
        "CREATE TABLE control.checkpoint (position text)",
        "INSERT INTO control.checkpoint VALUES ('0/0')");
    onBoth("CREATE SCHEMA app");
  }

  private void create(EmbeddedPostgres server, String options) throws SQLException {
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE DATABASE " + name + " STRATEGY FILE_COPY " + options);
    }
  }

  static synchronized EmbeddedPostgres server(PostgresVersion version) {
    return SERVERS.computeIfAbsent(
        version,
        wanted -> {
          EmbeddedPostgres started =
              EmbeddedPostgres.builder()
                  .version(wanted)
                  .setting("max_prepared_transactions", "20")
                  .start();
          Runtime.getRuntime().addShutdownHook(new Thread(started::close));
          return started;
        });
  }

  public static TableId table(String name) {
    return new TableId("app", name);
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

  private static void run(Connection connection, String... statements) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  Connection connectSource() throws SQLException {
    return DriverManager.getConnection(sourceUrl());
  }

  Connection connectTarget() throws SQLException {
    return DriverManager.getConnection(targetUrl());
  }

  public String targetUrl() {
    return targetServer.jdbcUrl(name);
  }

  EmbeddedPostgres sourceServer() {
    return sourceServer;
  }

  private String sourceUrl() {
    return sourceServer.jdbcUrl(name);
  }

  /** Begins to replicate; both sides have the same rows now. */
  void replicate() throws SQLException {
    onSource(
        "CREATE PUBLICATION everything FOR TABLES IN SCHEMA app"
            + " WITH (publish_via_partition_root = true)",
        "SELECT pg_create_logical_replication_slot('" + name + "', 'pgoutput')");
    long begun = Long.parseLong(onSourceGet("SELECT pg_current_xact_id()::text"));
    keys = completeFrom(begun);
    replica = new Replica(sourceUrl(), targetServer.jdbcUrl(name), name, keys);
  }

  /** Whether both databases accept new sessions; open ones go on. */
  public void acceptSessions(boolean accepted) throws SQLException {
    for (EmbeddedPostgres server : List.of(sourceServer, targetServer)) {
      try (Connection connection = server.connect();
          Statement statement = connection.createStatement()) {
        statement.execute("ALTER DATABASE %s ALLOW_CONNECTIONS %s".formatted(name, accepted));
      }
    }
  }

  static TouchedKeys completeFrom(long id) {
    TouchedKeys keys = new TouchedKeys(TouchedLimits.of(DataSize.ofBytes(1L << 30)));
    keys.completeFrom(id);
    return keys;
  }

  Replica replica() {
    return replica;
  }

  TouchedKeys keys() {
    return keys;
  }

  public String onSourceGet(String query) throws SQLException {
    return get(source, query);
  }

  public String onTargetGet(String query) throws SQLException {
    return get(target, query);
  }

  private static String get(Connection connection, String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      rows.next();
      return rows.getString(1);
    }
  }

  ComparisonSource comparisonSource() {
    return new PostgresComparisonSource(side("source", sourceServer, "postgres"));
  }

  ComparisonSource comparisonSourceAs(String user) {
    return new PostgresComparisonSource(side("source", sourceServer, user));
  }

  ComparisonTarget comparisonTarget() {
    return comparisonTargetAs("postgres");
  }

  ComparisonTarget comparisonTargetAs(String user) {
    return new PostgresComparisonTarget(side("target", targetServer, user));
  }

  private SideServer side(String which, EmbeddedPostgres server, String user) {
    String url = server.jdbcUrl(name).replace("user=postgres", "user=" + user);
    return new SideServer() {
      @Override
      public Connection open() throws SQLException {
        return DriverManager.getConnection(url);
      }

      @Override
      public SluiceException failed(String attempted, SQLException error) {
        return new SluiceException.Retryable(attempted, error);
      }

      @Override
      public String toString() {
        return which;
      }
    };
  }

  String name() {
    return name;
  }

  int targetPort() {
    return targetServer.port();
  }

  /** The target as the apply knows it. */
  public TargetServer targetServer() {
    return TargetServers.postgres(
        "jdbc:postgresql://127.0.0.1:" + targetServer.port() + "/" + name,
        "postgres",
        null,
        "sluice test",
        50);
  }

  /** Ends the window, as the daemon does. */
  void endWindow() {
    try {
      if (replica == null) {
        // Nothing moves: the target has all that the source has.
        String end = onSourceGet("SELECT pg_current_wal_insert_lsn()");
        onTarget("UPDATE control.checkpoint SET position = '" + Position.parse(end) + "'");
      } else {
        SourceServer server = new SourceServer(sourceUrl(), "postgres", null, "test");
        new PostgresLog(server, MessagePrefixes.ofTask(name), new OwnMessages(Clock.systemUTC()))
            .endWindows();
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  public static CheckpointQuery checkpoint() {
    return new CheckpointQuery("SELECT position FROM control.checkpoint", List.of());
  }

  ComparisonSession session() {
    return session(TableMappings.EVERYTHING, new AppliedKeys(keys, ColumnNames.SAME));
  }

  public ComparisonSession session(TableMappings mappings, JournalKeys journal) {
    SessionLimits limits =
        new SessionLimits(
            Duration.ofSeconds(20), 1000, 100_000, 1000, 100_000, Duration.ofSeconds(10));
    return session(mappings, journal, limits);
  }

  ComparisonSession session(SessionLimits limits) {
    return session(TableMappings.EVERYTHING, new AppliedKeys(keys, ColumnNames.SAME), limits);
  }

  private ComparisonSession session(
      TableMappings mappings, JournalKeys journal, SessionLimits limits) {
    return new ComparisonSession(
        comparisonSource(), comparisonTarget(), mappings, journal, any -> endWindow(), limits);
  }

  /** Compares one table whole; it has the key {@code id}. */
  TableFindings compare(String table) throws InterruptedException {
    return compare(ComparisonPlan.whole(table(table), List.of("id")));
  }

  TableFindings compare(ComparisonPlan plan) throws InterruptedException {
    return compare(session(), plan);
  }

  static TableFindings compare(ComparisonSession session, ComparisonPlan plan)
      throws InterruptedException {
    SessionFindings findings = session.run(checkpoint(), List.of(plan));
    if (findings.obstacle().isPresent()) {
      throw new IllegalStateException(findings.obstacle().get().toString());
    }
    return findings.tables().get(0);
  }

  @Override
  public void close() throws SQLException {
    if (replica != null) {
      replica.close();
    }
    source.close();
    target.close();
    for (EmbeddedPostgres server : List.of(sourceServer, targetServer)) {
      try (Connection connection = server.connect();
          Statement statement = connection.createStatement()) {
        statement.execute(
            "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE database = '"
                + name
                + "'");
        statement.execute("DROP DATABASE " + name + " WITH (FORCE)");
      }
    }
  }
}
