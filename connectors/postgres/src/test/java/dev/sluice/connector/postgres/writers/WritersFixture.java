package dev.sluice.connector.postgres.writers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.Secret;
import dev.sluice.connector.api.source.writers.StoppedWriters;
import dev.sluice.connector.api.source.writers.WriterStop;
import dev.sluice.connector.postgres.PostgresSource;
import dev.sluice.connector.postgres.SourceFixture;
import dev.sluice.connector.postgres.server.PostgresConfig;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.embedded.postgres.PostgresVersion;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A source database of its own whose writers are stopped. */
final class WritersFixture implements AutoCloseable {
  static final Duration PATIENCE = Duration.ofMinutes(5);
  static final String MOVED_TO = "new-host:5432/shop";

  private static final Duration LONG = Duration.ofMinutes(4);
  private static final AtomicInteger NUMBER = new AtomicInteger();
  private static EmbeddedPostgres older;

  final String database = "writers" + NUMBER.incrementAndGet();
  final UUID cutover = UUID.randomUUID();
  final Connection admin;
  private final EmbeddedPostgres server;

  WritersFixture(String... statements) {
    this(SourceFixture.server(), statements);
  }

  WritersFixture(EmbeddedPostgres server, String... statements) {
    this.server = server;
    try {
      server.createDatabase(database);
      admin = server.connect(database);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    execute(statements);
  }

  static EmbeddedPostgres server(PostgresVersion version) {
    return version == PostgresVersion.NEWEST ? SourceFixture.server() : older();
  }

  /** A server without {@code transaction_timeout}. */
  private static synchronized EmbeddedPostgres older() {
    if (older == null) {
      older =
          EmbeddedPostgres.builder()
              .version(PostgresVersion.OLDER)
              .setting("max_prepared_transactions", "5")
              .start();
      Runtime.getRuntime().addShutdownHook(new Thread(() -> older.close()));
    }
    return older;
  }

  WriterStop writers() {
    return source("postgres", server.port()).writers().orElseThrow();
  }

  PostgresSource source(String user, int port) {
    Endpoint endpoint =
        new Endpoint(
            "127.0.0.1", port, database, user, Secret.of("secret"), Map.of("sslmode", "disable"));
    return new PostgresSource(
        database, new PostgresConfig(endpoint, database, database, false, false));
  }

  int port() {
    return server.port();
  }

  WriterStop.Request request(String... tables) {
    return new WriterStop.Request(cutover, ids(tables), LONG, LONG);
  }

  WriterStop.Request request(Duration attempts, Duration held, String... tables) {
    return new WriterStop.Request(cutover, ids(tables), attempts, held);
  }

  static List<TableId> ids(String... tables) {
    return Arrays.stream(tables).map(table -> new TableId("public", table)).toList();
  }

  StoppedWriters stop(String... tables) throws InterruptedException {
    return writers().stop(request(tables));
  }

  /** Alters what is closed, as somebody does who means it. */
  void alterClosed(String... statements) throws SQLException {
    try (Connection connection = connect()) {
      execute(connection, DdlRefusal.ALLOW);
      for (String sql : statements) {
        execute(connection, sql);
      }
    }
  }

  /**
   * The statements by which a way back makes a table and its trigger, which does not fire always.
   */
  String makingClosed(String table) {
    return "CREATE TABLE %1$s (id int); CREATE TRIGGER \"!sluice_moved\" BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON %1$s FOR EACH STATEMENT EXECUTE FUNCTION sluice_moved.refuse('there', 'then', '%2$s')"
        .formatted(table, cutover);
  }

  /** Closes the tables for good. */
  void move(String... tables) throws InterruptedException {
    try (StoppedWriters stopped = stop(tables)) {
      stopped.prepareMove(MOVED_TO);
      stopped.decide();
    }
  }

  /** Opens again what was moved. */
  List<TableId> reopen() {
    return writers().reopen(new WriterStop.Whose(MOVED_TO, table -> true)).opened();
  }

  /** What is wrong with the closed tables. */
  List<Problem> opened() {
    return writers().opened(Optional.empty(), List.of());
  }

  Connection connect() throws SQLException {
    return server.connect(database);
  }

  Connection connect(String user) throws SQLException {
    return DriverManager.getConnection(
        "jdbc:postgresql://127.0.0.1:" + server.port() + "/" + database, user, "secret");
  }

  void execute(String... statements) {
    try (Statement statement = admin.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  String text(String sql) {
    try {
      return text(admin, sql);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  static String text(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getString(1);
    }
  }

  /** Runs it in a session of its own; gives null, or the error of the server. */
  CompletableFuture<SQLException> async(Write write) {
    return CompletableFuture.supplyAsync(
        () -> {
          try (Connection connection = connect()) {
            write.run(connection);
            return null;
          } catch (SQLException e) {
            return e;
          }
        },
        work -> new Thread(work, "application").start());
  }

  CompletableFuture<SQLException> async(String sql) {
    return async(connection -> execute(connection, sql));
  }

  static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  static <T> T result(CompletableFuture<T> future) throws Exception {
    return future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
  }

  /** What an application does. */
  interface Write {
    void run(Connection connection) throws SQLException;
  }

  /** Waits until as many sessions of this database wait for locks of tables. */
  void awaitWaiting(int sessions) {
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThat(
                        text(
                            "SELECT count(DISTINCT pid) FROM pg_locks WHERE NOT granted"
                                + " AND locktype = 'relation' AND database ="
                                + " (SELECT oid FROM pg_database WHERE datname = current_database())"))
                    .isEqualTo(Integer.toString(sessions)));
  }

  void awaitTrue(String question) {
    await().atMost(PATIENCE).until(() -> "t".equals(text(question)));
  }

  /** True if nothing of a cutover is left. */
  boolean isUntouched() {
    return "t"
        .equals(
            text(
                "SELECT NOT EXISTS (SELECT FROM pg_trigger WHERE tgname LIKE '!sluice%')"
                    + " AND NOT EXISTS (SELECT FROM pg_event_trigger WHERE evtname LIKE '%moved%')"
                    + " AND to_regnamespace('sluice_moved') IS NULL"));
  }

  void assertRefused(SQLException error) {
    assertThat((Throwable) error).isNotNull();
    assertThat(error.getSQLState()).as(error.getMessage()).isEqualTo("SM001");
    assertThat(error.getMessage())
        .contains("this database was moved to " + MOVED_TO)
        .contains("UTC by cutover " + cutover)
        .contains("Connect the application to " + MOVED_TO);
  }

  @Override
  public void close() throws SQLException {
    admin.close();
  }
}
