package dev.sluice.connector.mariadb.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.mappings.RowFilter;
import dev.sluice.config.settings.DataSize;
import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.Secret;
import dev.sluice.connector.api.JournalTopics;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.CaptureRequest;
import dev.sluice.connector.api.source.CaptureScope;
import dev.sluice.connector.api.source.GainedNames;
import dev.sluice.connector.api.source.catalog.CatalogColumn;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.connector.api.source.catalog.SourceCatalog;
import dev.sluice.connector.journal.Journal;
import dev.sluice.connector.journal.JournalReader;
import dev.sluice.connector.mariadb.Servers;
import dev.sluice.connector.mariadb.capture.position.BinlogPosition;
import dev.sluice.connector.mariadb.capture.position.LogBeginnings;
import dev.sluice.connector.mariadb.capture.position.LogBookmark;
import dev.sluice.connector.mariadb.capture.position.LogHistory;
import dev.sluice.connector.mariadb.capture.position.LogServer;
import dev.sluice.connector.mariadb.capture.succession.Succession;
import dev.sluice.connector.mariadb.capture.table.MysqlTables;
import dev.sluice.connector.mariadb.capture.table.PresentTables;
import dev.sluice.connector.mariadb.catalog.DatabaseTables;
import dev.sluice.connector.mariadb.server.MariadbQuery;
import dev.sluice.connector.mariadb.server.ValuePolicy;
import dev.sluice.connector.mariadb.type.DeclaredColumn;
import dev.sluice.connector.mariadb.type.PostgresType;
import dev.sluice.embedded.EmbeddedBroker;
import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import dev.sluice.embedded.mariadb.EmbeddedServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;

/**
 * A database of its own on a MariaDB server, with a journal, on a server and a broker that all
 * tests of the JVM share.
 */
public final class LogFixture implements AutoCloseable {
  private static final AtomicInteger NUMBER = new AtomicInteger();
  private static final String COLUMNS =
      """
      SELECT c.table_name, c.column_name, c.data_type, c.column_type,
        COALESCE(c.character_maximum_length, 0), COALESCE(c.numeric_precision, 0),
        COALESCE(c.numeric_scale, 0), COALESCE(c.datetime_precision, 0),
        c.is_nullable = 'YES', c.column_key = 'PRI', c.generation_expression <> ''
      FROM information_schema.columns c
      WHERE c.table_schema = ? ORDER BY c.table_name, c.ordinal_position
      """;

  private static EmbeddedBroker broker;

  public final String database;
  public Connection connection;
  private EmbeddedServer server;
  final JournalTopics topics;
  final LogMemory memory = new LogMemory();
  private ValuePolicy policy = ValuePolicy.REFUSE;
  private String user = "root";
  private boolean oldRows;
  private final Map<TableId, RowFilter> filters = new HashMap<>();
  final Set<TableId> begunWith = new HashSet<>();

  /** The names that tables got, and behind which position they count. */
  final Map<TableId, Position> gained = new ConcurrentHashMap<>();

  /** Where the server was asked about the tables of these names. */
  final Map<TableId, Position> proven = new ConcurrentHashMap<>();

  private volatile Function<TableId, Optional<String>> gaining = table -> Optional.empty();
  private boolean sourceCatalog;
  private boolean begun;
  private boolean remembersDrops = true;

  /** The tables that were dropped, and behind which position. */
  final Map<TableId, Position> lost = new ConcurrentHashMap<>();

  private Position start;
  private MariadbCapture capture;
  private long term;

  public LogFixture(String... statements) {
    this(server(), statements);
  }

  /**
   * One whose captures have the tables as the source's catalog describes them to a task; the test
   * is skipped where there are no binaries.
   */
  static LogFixture fixture(String... statements) {
    assumeTrue(EmbeddedMariadb.isAvailable(), "the MariaDB binaries are for Linux on x86-64");
    return new LogFixture(statements).withSourceCatalog();
  }

  public LogFixture(EmbeddedServer server, String... statements) {
    this.server = server;
    this.database = "d" + NUMBER.incrementAndGet();
    this.topics = JournalTopics.ofTask(database);
    try {
      server.createDatabase(database);
      this.connection = server.connect(database);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    execute(statements);
    try (Journal journal = new Journal(client(), topics)) {
      // As a daemon does, where a busy broker does not answer in time.
      Awaitility.await()
          .atMost(Duration.ofMinutes(5))
          .pollDelay(Duration.ZERO)
          .ignoreExceptionsInstanceOf(SluiceException.Retryable.class)
          .untilAsserted(journal::create);
    }
    start = end().position();
  }

  /** What the task of the captures knows. */
  public LogMemory memory() {
    return memory;
  }

  public static EmbeddedServer server() {
    return Servers.shared();
  }

  private static synchronized Map<String, Object> client() {
    if (broker == null) {
      try {
        Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
        Files.createDirectories(temporary);
        broker = EmbeddedBroker.start(Files.createTempDirectory(temporary, "broker-"));
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
      Runtime.getRuntime().addShutdownHook(new Thread(() -> broker.close()));
    }
    return Map.of("bootstrap.servers", broker.bootstrapServers());
  }

  /** After a start of the server. */
  LogFixture reconnect() {
    try {
      connection = server.connect(database);
      return this;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * The next capture goes on in the log of another server, behind a transaction of the journal.
   *
   * @return the start
   */
  Position startOn(EmbeddedServer other, JournalReader.Transaction last, int timeline) {
    LogBookmark bookmark = LogBookmark.parse(last.bookmark()).orElseThrow();
    try {
      connection.close();
      server = other;
      connection = server.connect(database);
      BinlogPosition place =
          ((Succession.At) SuccessionTest.proof(other).succession(bookmark)).place().on(timeline);
      Position from = place.position(history(connection, place));
      start = last.position();
      memory.start().keep(start, from, Optional.of(bookmark));
      return from;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  LogFixture with(ValuePolicy values) {
    policy = values;
    return this;
  }

  LogFixture as(String name) {
    user = name;
    return this;
  }

  LogFixture withOldRows() {
    oldRows = true;
    return this;
  }

  /** Captures the tables as the source's catalog describes them to a task. */
  LogFixture withSourceCatalog() {
    sourceCatalog = true;
    return this;
  }

  LogFixture from(Position position) {
    start = position;
    return this;
  }

  /** Starts a capture where the fixture was made, or at the position that was given. */
  public LogFixture capturing() {
    capture(Duration.ofMinutes(10));
    return this;
  }

  MariadbCapture capture(Duration idleAfter) {
    capture = capture(server.port(), Map.of(), idleAfter);
    return capture;
  }

  MariadbCapture capture(int port, Map<String, String> options, Duration idleAfter) {
    try (Connection session = server.connect(database)) {
      return new MariadbCapture(
          new MariadbCapture.Setup(
              database,
              new Endpoint(
                  Servers.type(), "127.0.0.1", port, database, user, Secret.of(""), options),
              LogServer.read(session),
              history(session, BinlogPosition.of(memory.start().from(start))),
              policy,
              memory),
          new CaptureRequest(++term, start, client(), topics, DataSize.ofMebibytes(64), idleAfter),
          scope(),
          MysqlTables.read(session, database),
          this::present);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  public MariadbCapture capture() {
    return capture;
  }

  /** As a daemon does: names that were gained behind the start are not known there. */
  private CaptureScope scope() throws SQLException {
    SourceCatalog now = catalog();
    if (gained.isEmpty() && !begun) {
      begunWith.clear();
      now.tables().forEach(table -> begunWith.add(table.table()));
    }
    Set<TableId> later =
        gained.keySet().stream()
            .filter(table -> !start.isAfter(gained.get(table)))
            .collect(Collectors.toSet());
    gained.keySet().removeAll(later);
    Set<TableId> known = new HashSet<>(begunWith);
    known.removeIf(table -> lost.containsKey(table) && start.isAfter(lost.get(table)));
    known.addAll(gained.keySet());
    return new CaptureScope(
        new SourceCatalog(
            now.relations().stream().filter(table -> known.contains(table.table())).toList()),
        known,
        false,
        table -> !table.name().startsWith("other"),
        table -> oldRows,
        new GainedNames() {
          @Override
          public Optional<String> gain(TableId table, Position behind, Position proven) {
            Optional<String> hindrance = gaining.apply(table);
            if (hindrance.isEmpty() && !known.contains(table)) {
              gained.put(table, behind);
              LogFixture.this.proven.put(table, proven);
            }
            return hindrance;
          }

          @Override
          public boolean lose(Collection<TableId> tables, Position behind) {
            tables.forEach(table -> lost.put(table, behind));
            known.removeAll(tables);
            return remembersDrops;
          }

          @Override
          public Map<TableId, Position> proven() {
            Map<TableId, Position> then = new HashMap<>(LogFixture.this.proven);
            then.keySet().retainAll(gained.keySet());
            return then;
          }
        },
        table -> Optional.ofNullable(filters.get(table)));
  }

  /** The next captures have only the rows of a table that pass this filter. */
  LogFixture filtering(String table, RowFilter filter) {
    filters.put(table(table), filter);
    return this;
  }

  /** As during a load. */
  LogFixture forgettingDrops() {
    remembersDrops = false;
    return this;
  }

  /** The captures have the tables that are there now, and others that they gain. */
  LogFixture beginning() throws SQLException {
    catalog().tables().forEach(table -> begunWith.add(table.table()));
    begun = true;
    return this;
  }

  /** What answers to names that tables get from now on. */
  LogFixture gaining(Function<TableId, Optional<String>> answer) {
    gaining = answer;
    return this;
  }

  /**
   * Captures, until a name cannot be remembered that these statements give to a table. Then it
   * captures again from the last row on, as if the name had been remembered and the capture had
   * been killed before it journaled anything of it.
   */
  void killedBehindTheMemoryOf(String name, JournalReader reader, String... statements) {
    gaining(
            table -> {
              throw new SluiceException.Retryable("no target for " + table, null);
            })
        .capturing();
    execute("INSERT INTO t VALUES (1, 1)");
    Position last = reader.read(1).get(0).position();
    execute(statements);
    assertThat(failure()).hasMessageContaining("no target for " + table(name));
    capture.close();
    gained.put(table(name), BinlogPosition.of(last).last());
    gaining(table -> Optional.empty()).from(last).capturing();
  }

  private PresentTables present() {
    try (Connection session = server.connect(database)) {
      return PresentTables.read(session, database);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Some history if the place is gone. */
  private LogHistory history(Connection session, BinlogPosition place) throws SQLException {
    LogBeginnings beginnings =
        new LogBeginnings(
            new Endpoint(
                Servers.type(),
                "127.0.0.1",
                server.port(),
                database,
                "root",
                Secret.NONE,
                Map.of("sslMode", "disable")));
    return LogHistory.read(session, beginnings, LogServer.base(session), place)
        .orElse(new LogHistory("binlog", 0, ""));
  }

  /** The position of the end of the log, as a capture has it. */
  Position endPosition() throws SQLException {
    try (Connection session = server.connect(database)) {
      BinlogPosition end = end();
      return end.position(history(session, end));
    }
  }

  /**
   * Waits until a capture has acknowledged the whole log. The end is asked again each time: the
   * server itself writes into its log a while after a statement.
   */
  void awaitAcknowledged(MariadbCapture following) {
    awaitAtEnd(() -> following.progress().acknowledged());
  }

  /** Waits until a capture has read the whole log. */
  void awaitRead(MariadbCapture following) {
    awaitAtEnd(following::read);
  }

  private void awaitAtEnd(Supplier<Position> reached) {
    Awaitility.await()
        .atMost(Duration.ofMinutes(5))
        .until(() -> BinlogPosition.of(reached.get()).equals(end()));
  }

  public JournalReader reader() {
    return new JournalReader(client(), topics);
  }

  /** Waits until the capture has failed. */
  SluiceException failure() {
    Awaitility.await().atMost(Duration.ofMinutes(5)).until(() -> capture.failure().isPresent());
    return capture.failure().orElseThrow();
  }

  BinlogPosition end() {
    try {
      return LogServer.end(new MariadbQuery(connection)).orElseThrow();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  TableId table(String name) {
    return new TableId(database, name);
  }

  private SourceCatalog catalog() throws SQLException {
    if (sourceCatalog) {
      return DatabaseTables.read(connection, database).selected(any -> true, policy);
    }
    Map<TableId, List<CatalogColumn>> tables = new LinkedHashMap<>();
    try (PreparedStatement statement = connection.prepareStatement(COLUMNS)) {
      statement.setString(1, database);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          TableId table = table(row.getString(1));
          if (table.name().startsWith("other")) {
            continue;
          }
          DeclaredColumn declared = declared(table, row);
          tables
              .computeIfAbsent(table, any -> new ArrayList<>())
              .add(
                  new CatalogColumn(
                      declared.name(),
                      PostgresType.of(declared),
                      row.getBoolean(9),
                      row.getBoolean(10),
                      row.getBoolean(11),
                      false));
        }
      }
    }
    return new SourceCatalog(
        tables.entrySet().stream()
            .map(
                each ->
                    new CatalogTable(
                        each.getKey(),
                        each.getKey(),
                        CatalogTable.Kind.ORDINARY,
                        CatalogTable.Persistence.LOGGED,
                        CatalogTable.OldRow.ALL_COLUMNS,
                        each.getValue(),
                        null,
                        0,
                        true,
                        true,
                        false))
            .toList());
  }

  private static DeclaredColumn declared(TableId table, ResultSet row) throws SQLException {
    return new DeclaredColumn(
        table,
        row.getString(2),
        row.getString(3),
        row.getString(4),
        row.getLong(5),
        row.getInt(6),
        row.getInt(7),
        row.getInt(8));
  }

  DeclaredColumn declared(String table, String column) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(COLUMNS)) {
      statement.setString(1, database);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          if (row.getString(1).equals(table) && row.getString(2).equals(column)) {
            return declared(table(table), row);
          }
        }
      }
    }
    throw new IllegalStateException("no column " + column);
  }

  List<String> values(String sql) {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      List<String> values = new ArrayList<>();
      while (row.next()) {
        values.add(row.getString(1));
      }
      return values;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  public LogFixture execute(String... statements) {
    try (Statement statement = connection.createStatement()) {
      for (String text : statements) {
        statement.execute(text);
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    return this;
  }

  String value(String sql) {
    return row(sql, 1)[0];
  }

  String[] row(String sql, int columns) {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      String[] values = new String[columns];
      for (int i = 0; i < columns; i++) {
        values[i] = row.getString(i + 1);
      }
      return values;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    if (capture != null) {
      capture.close();
    }
    try {
      connection.close();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
