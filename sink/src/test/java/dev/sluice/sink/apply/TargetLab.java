package dev.sluice.sink.apply;

import dev.sluice.config.TableId;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.Definition;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.ChangeEvent.Truncate;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.api.ColumnOrigin;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowBuilder;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.connector.api.ddl.ColumnDefinition;
import dev.sluice.connector.api.ddl.ColumnDefinition.Filling;
import dev.sluice.connector.api.ddl.DefinitionChange;
import dev.sluice.connector.api.ddl.DefinitionChanges;
import dev.sluice.connector.api.ddl.TableDefinition;
import dev.sluice.connector.api.ddl.TableDefinition.Partition;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.embedded.postgres.PostgresVersion;
import dev.sluice.sink.Tunings;
import dev.sluice.sink.apply.plan.ApplySettings;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.schema.CheckpointStore;
import dev.sluice.sink.control.suspension.SuspendedTables;
import dev.sluice.sink.control.suspension.SuspensionChanges;
import dev.sluice.sink.control.suspension.SuspensionStore;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.lane.Lane;
import dev.sluice.sink.lane.TableFilter;
import dev.sluice.sink.replay.ChangeReplay;
import dev.sluice.sink.replay.PositionedChange;
import dev.sluice.sink.replay.SourceTransaction;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.target.TestTarget;
import dev.sluice.sink.window.AppliedWindow;
import dev.sluice.sink.window.CapturedChanges;
import dev.sluice.sink.window.CapturedChangesBuilder;
import dev.sluice.sink.window.ClosedWindow;
import dev.sluice.sink.window.Rounds;
import dev.sluice.sink.window.compaction.NetChange;
import dev.sluice.sink.window.compaction.Round;
import dev.sluice.sink.window.compaction.RoundCutter;
import dev.sluice.sink.window.compaction.TableChanges;
import dev.sluice.sink.window.policy.CloseReason;
import dev.sluice.sink.window.policy.WindowTuning;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * A test database on a real server, with a source schema {@code src} and a target schema {@code
 * dst}, and methods that build windows. The tests of a JVM share the servers.
 */
public final class TargetLab implements AutoCloseable {
  public static final String CONTROL = "sluice_control";
  public static final TaskSettings STOPPING = TaskSettings.DEFAULTS;

  /** In the first COMMIT of a connection; later ones have the name of a prepared statement. */
  public static final String COMMIT = "COMMIT\0";

  private static final Map<PostgresVersion, EmbeddedPostgres> SERVERS = new ConcurrentHashMap<>();
  private static final AtomicInteger DATABASES = new AtomicInteger();

  /** The server of a lab on PostgreSQL, and its database there; null on others. */
  public final EmbeddedPostgres postgres;

  public final String database;
  private final LabDatabase on;
  final Connection sql;
  private final NavigableMap<Position, List<PositionedChange>> journal = new TreeMap<>();
  private long position = 0x100;
  private int replays;
  private Runnable onNextReplay = () -> {};
  private final SuspensionChanges suspensionChanges = new SuspensionChanges();

  /** The end of the last window that was made, or where the last applier begins. */
  private JournalOffset reached = JournalOffset.beginning(Position.ZERO);

  /** Settings of the next windows. */
  private WindowTuning tuning = Tunings.batch();

  private TargetLab(EmbeddedPostgres postgres, String database) throws SQLException {
    this.postgres = postgres;
    this.database = database;
    this.on = new PostgresDatabase(postgres, database);
    this.sql = on.connect();
    on.createSchemas(sql);
    store().create();
  }

  private TargetLab(LabDatabase on) throws SQLException {
    this.postgres = null;
    this.database = null;
    this.on = on;
    this.sql = on.connect();
    on.createSchemas(sql);
    store().create();
  }

  /** A lab on a server of another kind. */
  public static TargetLab on(LabDatabase database) throws SQLException {
    return new TargetLab(database);
  }

  private record PostgresDatabase(EmbeddedPostgres postgres, String name) implements LabDatabase {
    @Override
    public Connection connect() throws SQLException {
      return postgres.connect(name);
    }

    @Override
    public int port() {
      return postgres.port();
    }

    @Override
    public TargetServer serverAt(int port) {
      return TestTarget.of(port, name, "postgres");
    }

    @Override
    public void createSchemas(Connection session) throws SQLException {
      try (Statement statement = session.createStatement()) {
        statement.execute("CREATE SCHEMA src");
        statement.execute("CREATE SCHEMA dst");
      }
    }

    @Override
    public void drop() throws SQLException {
      try (Connection connection = postgres.connect();
          Statement statement = connection.createStatement()) {
        statement.execute("DROP DATABASE " + name + " WITH (FORCE)");
      }
    }
  }

  public static TargetLab on(PostgresVersion version) throws SQLException {
    EmbeddedPostgres postgres =
        SERVERS.computeIfAbsent(
            version,
            key -> {
              EmbeddedPostgres started = EmbeddedPostgres.builder().version(key).start();
              Runtime.getRuntime().addShutdownHook(new Thread(started::close));
              return started;
            });
    String database = "lab" + DATABASES.incrementAndGet();
    postgres.createDatabase(database);
    return new TargetLab(postgres, database);
  }

  public TargetServer server() {
    return on.serverAt(on.port());
  }

  /** The port of the lab's server. */
  int port() {
    return on.port();
  }

  /** The target by way of another port. */
  TargetServer serverAt(int port) {
    return on.serverAt(port);
  }

  public TargetServer serverAt(int port, String user) {
    return TestTarget.of(port, database, user);
  }

  public CheckpointStore store() {
    return new CheckpointStore(server(), CONTROL);
  }

  public BatchApplier applier(int batchSplitSize) {
    return applier(server(), store().claim("task"), batchSplitSize);
  }

  public BatchApplier applier(TargetServer server, Checkpoint claimed, int batchSplitSize) {
    tuning = Tunings.splitting(batchSplitSize);
    return applier(server, claimed, new ApplySettings(STOPPING));
  }

  public void tune(WindowTuning ofWindows) {
    tuning = ofWindows;
  }

  public BatchApplier applier(TaskSettings policies) {
    return applier(server(), store().claim("task"), new ApplySettings(policies));
  }

  public BatchApplier applier(TargetServer server, Checkpoint claimed, ApplySettings settings) {
    return applier(server, claimed, settings, Lane.WHOLE);
  }

  /** An applier for a lane that has applied nothing yet. */
  BatchApplier applier(TargetServer server, Checkpoint claimed, ApplySettings settings, Lane lane) {
    goOnAfter(claimed.place());
    return new BatchApplier(
        server,
        new LaneStart(
            claimed,
            lane,
            claimed.place(),
            Optional.empty(),
            new SuspendedTables(CONTROL, "task").read(server),
            suspensionChanges),
        id -> new TableId("dst", id.name()),
        this::replay,
        settings,
        Clock.systemUTC());
  }

  /** Applies a window. The next one begins at its end, or at its begin if it fails. */
  public AppliedWindow apply(BatchApplier applier, ClosedWindow window) {
    goOnAfter(window.start());
    AppliedWindow applied = applier.apply(window);
    goOnAfter(window.place());
    return applied;
  }

  /** Sets the begin of the next window, if the last one is never applied. */
  void goOnAfter(JournalOffset place) {
    position = Math.max(position, place.position().low());
    reached = place;
  }

  public void run(String... statements) throws SQLException {
    try (Statement statement = sql.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    }
  }

  /** The rows of a query, with columns as text separated by bars. */
  public List<String> rows(String query) throws SQLException {
    try (Statement statement = sql.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      List<String> rows = new ArrayList<>();
      while (row.next()) {
        List<String> values = new ArrayList<>();
        for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
          values.add(row.getString(i));
        }
        rows.add(String.join("|", values.stream().map(String::valueOf).toList()));
      }
      return rows;
    }
  }

  /** Columns as {@code name type}, a key column with a star before its name. */
  public static RowSchema schema(String table, String... columns) {
    return new RowSchema(
        new TableId("src", table),
        Arrays.stream(columns)
            .map(
                column -> {
                  boolean key = column.startsWith("*");
                  String[] parts = column.substring(key ? 1 : 0).split(" ", 2);
                  return new Column(parts[0], parts[1], !key, key, ColumnOrigin.withNull(0));
                })
            .toList());
  }

  /** A DDL change of one table; before or after is null if the table does not exist then. */
  public static Definition definition(
      String command, TableDefinition before, TableDefinition after) {
    return new Definition(
        new DefinitionChanges(
            command,
            true,
            Map.of(),
            List.of(),
            List.of(new DefinitionChange(before, after, before == null, false, null))));
  }

  /** A table of nullable text columns of which the first is the key. */
  public static TableDefinition table(String name, String... columns) {
    return table(name, null, columns);
  }

  /** The same as the partition of another table for one value. */
  public static TableDefinition table(String name, Partition partition, String... columns) {
    List<ColumnDefinition> definitions = new ArrayList<>();
    for (String column : columns) {
      int number = definitions.size() + 1;
      definitions.add(
          new ColumnDefinition(
              number,
              column,
              "text",
              "25/-1",
              null,
              number == 1,
              Filling.DEFAULT,
              null,
              null,
              null));
    }
    return new TableDefinition(new TableId("src", name), null, partition, List.of(1), definitions);
  }

  public static Row row(String... values) {
    return RowBuilder.rowOf(values);
  }

  /** A row; {@code ~} is an unchanged value. */
  public static Row toasted(String... values) {
    RowBuilder builder = new RowBuilder(64);
    for (String value : values) {
      if ("~".equals(value)) {
        builder.addUnchanged();
      } else {
        builder.add(value);
      }
    }
    return builder.build();
  }

  public static NetChange insert(Row row) {
    return new NetChange(null, row);
  }

  public static NetChange delete(Row match) {
    return new NetChange(match, null);
  }

  public static NetChange change(Row match, Row row) {
    return new NetChange(match, row);
  }

  public static TableChanges keyed(RowSchema schema, NetChange... changes) {
    return new TableChanges.Keyed(schema, List.of(changes));
  }

  public static Round net(TableChanges... tables) {
    return new Round.Net(List.of(), List.of(tables));
  }

  public ClosedWindow window(Round... rounds) {
    return window(List.of(rounds));
  }

  /** A window after all earlier ones, with these rounds in order. */
  public ClosedWindow window(List<Round> rounds) {
    return window(rounds, List.of(rounds.stream().flatMap(TargetLab::eventsOf).toList()));
  }

  /** A compacted window of these transactions. */
  public ClosedWindow windowOf(List<List<ChangeEvent>> transactions) {
    RoundCutter cutter = new RoundCutter(tuning);
    List<Round> rounds = new ArrayList<>();
    for (List<ChangeEvent> transaction : transactions) {
      for (ChangeEvent event : transaction) {
        Optional.ofNullable(cutter.add(event)).ifPresent(rounds::add);
      }
    }
    Optional.ofNullable(cutter.finish()).ifPresent(rounds::add);
    return window(rounds, transactions);
  }

  private ClosedWindow window(List<Round> rounds, List<List<ChangeEvent>> transactions) {
    CapturedChangesBuilder captured = new CapturedChangesBuilder();
    for (List<ChangeEvent> events : transactions) {
      JournalOffset before = new JournalOffset(new Position(position), 1, position, position);
      position += 0x10;
      SourceTransaction transaction =
          new SourceTransaction(before, new Position(position), 1, position, Instant.EPOCH);
      List<PositionedChange> placed = new ArrayList<>();
      for (ChangeEvent event : events) {
        captured.count(event);
        placed.add(new PositionedChange(transaction, placed.size() + 1, event));
      }
      journal.put(transaction.position(), placed);
    }
    CapturedChanges counted = captured.build();
    JournalOffset start = reached;
    reached = new JournalOffset(new Position(position), 1, position, position);
    return new ClosedWindow(
        CloseReason.READY,
        start,
        reached,
        Instant.EPOCH,
        Instant.EPOCH,
        transactions.size(),
        counted.changes(),
        TableFilter.ALL,
        () -> counted,
        tuning,
        () -> roundsOf(rounds.iterator()));
  }

  /** The position of the last window's last transaction. */
  public Position position() {
    return new Position(position);
  }

  private static Stream<ChangeEvent> eventsOf(Round round) {
    List<ChangeEvent> events = new ArrayList<>();
    if (!round.truncate().isEmpty()) {
      events.add(new Truncate(round.truncate()));
    }
    if (round instanceof Round.Ordered ordered) {
      events.addAll(ordered.changes());
      return events.stream();
    }
    for (TableChanges table : ((Round.Net) round).tables()) {
      if (table instanceof TableChanges.Keyed keyed) {
        keyed.changes().stream()
            .map(change -> new RowChange(table.schema(), change.match(), change.row()))
            .forEach(events::add);
      } else if (table instanceof TableChanges.Multiset multiset) {
        for (TableChanges.Copies copies : multiset.takeAway()) {
          for (long i = 0; i < copies.copies(); i++) {
            events.add(new RowChange(table.schema(), copies.row(), null));
          }
        }
        for (TableChanges.Copies copies : multiset.putIn()) {
          for (long i = 0; i < copies.copies(); i++) {
            events.add(new RowChange(table.schema(), null, copies.row()));
          }
        }
      }
    }
    return events.stream();
  }

  /** What commands do with suspended tables while the appliers of the lab run. */
  public SuspensionStore suspensions(Checkpoint claimed) {
    return new SuspensionStore(
        server(),
        CONTROL,
        claimed,
        source -> new TableId("dst", source.name()),
        suspensionChanges,
        Clock.systemUTC());
  }

  /** Does this once, when the journal is read again: within the transaction of the window. */
  public void onNextReplay(Runnable work) {
    onNextReplay = work;
  }

  /** How often the journal was read again for rejected windows. */
  public int replays() {
    return replays;
  }

  private ChangeReplay.Changes replay(JournalOffset after, Position upTo, TableFilter filter) {
    replays++;
    Runnable work = onNextReplay;
    onNextReplay = () -> {};
    work.run();
    Iterator<PositionedChange> changes =
        journal.subMap(after.position(), false, upTo, true).values().stream()
            .flatMap(List::stream)
            .iterator();
    return new ChangeReplay.Changes() {
      @Override
      public PositionedChange next() {
        return changes.hasNext() ? changes.next() : null;
      }

      @Override
      public void close() {}
    };
  }

  private static Rounds roundsOf(Iterator<Round> rounds) {
    return new Rounds() {
      @Override
      public Round next() {
        return rounds.hasNext() ? rounds.next() : null;
      }

      @Override
      public void close() {}
    };
  }

  @Override
  public void close() throws SQLException {
    sql.close();
    on.drop();
  }
}
