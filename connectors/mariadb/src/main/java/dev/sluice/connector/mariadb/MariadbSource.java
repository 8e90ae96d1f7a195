package dev.sluice.connector.mariadb;

import dev.sluice.config.MonotonicClock;
import dev.sluice.config.TableId;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.config.task.CdcStop;
import dev.sluice.connector.api.Capture;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.comparison.ComparisonSource;
import dev.sluice.connector.api.load.SequenceState;
import dev.sluice.connector.api.source.CaptureRequest;
import dev.sluice.connector.api.source.CaptureScope;
import dev.sluice.connector.api.source.CapturedTables;
import dev.sluice.connector.api.source.ConnectProperties;
import dev.sluice.connector.api.source.DdlReporting;
import dev.sluice.connector.api.source.LogRetention;
import dev.sluice.connector.api.source.OldRowLogging;
import dev.sluice.connector.api.source.ReloadSnapshots;
import dev.sluice.connector.api.source.RetainedChanges;
import dev.sluice.connector.api.source.Source;
import dev.sluice.connector.api.source.SourceActivity;
import dev.sluice.connector.api.source.SourceChecks;
import dev.sluice.connector.api.source.SourceIdentity;
import dev.sluice.connector.api.source.SourceLock;
import dev.sluice.connector.api.source.SourceLog;
import dev.sluice.connector.api.source.SourceProbe;
import dev.sluice.connector.api.source.StartRule;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.connector.api.source.catalog.SourceCatalog;
import dev.sluice.connector.api.source.load.SourceReader;
import dev.sluice.connector.api.source.writers.WriterStop;
import dev.sluice.connector.mariadb.capture.LogMemory;
import dev.sluice.connector.mariadb.capture.succession.AddressWatch;
import dev.sluice.connector.mariadb.catalog.AutoIncrements;
import dev.sluice.connector.mariadb.catalog.DatabaseSequences;
import dev.sluice.connector.mariadb.catalog.DatabaseTables;
import dev.sluice.connector.mariadb.check.MariadbChecks;
import dev.sluice.connector.mariadb.comparison.MariadbComparison;
import dev.sluice.connector.mariadb.load.SnapshotOpening;
import dev.sluice.connector.mariadb.log.BinlogFiles;
import dev.sluice.connector.mariadb.log.HistoryProof;
import dev.sluice.connector.mariadb.log.MariadbLog;
import dev.sluice.connector.mariadb.log.MariadbRetention;
import dev.sluice.connector.mariadb.log.MariadbStartRule;
import dev.sluice.connector.mariadb.log.ReadProgress;
import dev.sluice.connector.mariadb.server.MariadbConfig;
import dev.sluice.connector.mariadb.server.MariadbIdentity;
import dev.sluice.connector.mariadb.server.MariadbProbe;
import dev.sluice.connector.mariadb.server.MariadbServer;
import dev.sluice.connector.mariadb.server.ServerLock;
import dev.sluice.connector.mariadb.server.ValuePolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The MariaDB or MySQL source of a task, and the factory of all objects that work on it.
 * Threadsafe.
 */
public final class MariadbSource implements Source {
  /** Targets whose server may be that of the source. */
  private static final Set<String> BINLOG_TARGETS = Set.of("mariadb", "mysql");

  private final String task;
  private final MariadbServer server;
  private final ValuePolicy values;
  private final HistoryProof history;
  private final SnapshotOpening snapshots;
  private final ReadProgress progress = new ReadProgress();
  private final LogMemory memory = new LogMemory();
  private final AddressWatch address;

  public MariadbSource(String task, MariadbConfig config) {
    this.task = task;
    this.server = new MariadbServer(config.endpoint(), "sluice " + task);
    this.values = config.values();
    this.history = new HistoryProof(server);
    this.snapshots = new SnapshotOpening(server, history::at, memory.server());
    this.address = new AddressWatch(server, memory.server(), new MonotonicClock());
  }

  @Override
  public SourceIdentity identity() {
    return MariadbIdentity.of(server);
  }

  /** The identity changes with the server's port and its machine. */
  @Override
  public boolean provesHistory() {
    return true;
  }

  /** There is one timeline only. */
  @Override
  public Optional<Position> leftTimeline(int then, int now) {
    return Optional.empty();
  }

  @Override
  public SourceChecks checks() {
    return new MariadbChecks(server, values);
  }

  @Override
  public SourceProbe probe() {
    return new MariadbProbe(server);
  }

  /** A session that sees it is on the same server. */
  @Override
  public Optional<SourceLock> takeLock(String targetType) {
    return BINLOG_TARGETS.contains(targetType)
        ? Optional.of(ServerLock.take(server))
        : Optional.empty();
  }

  @Override
  public SourceCatalog catalog(Predicate<TableId> selected) {
    return server.read("read the tables of " + server, this::tables).selected(selected, values);
  }

  private DatabaseTables tables(Connection connection) throws SQLException {
    return DatabaseTables.read(connection, server.database());
  }

  /** The checks refuse rules that select views. */
  @Override
  public List<CatalogTable> views(TableMappings mappings) {
    return List.of();
  }

  @Override
  public Set<TableId> relatives(Collection<TableId> tables) {
    return Set.copyOf(tables);
  }

  @Override
  public Map<TableId, Long> sequenceValues() {
    return server.read("read the numbers of " + server, this::numbers).stream()
        .collect(Collectors.toMap(SequenceState::sequence, state -> state.lastValue() - 1));
  }

  private List<SequenceState> numbers(Connection connection) throws SQLException {
    DatabaseTables catalog = tables(connection);
    return AutoIncrements.of(
        catalog, DatabaseSequences.read(connection, server.database(), catalog));
  }

  @Override
  public SourceReader reader() {
    return new MariadbReader(server, snapshots, values);
  }

  @Override
  public ComparisonSource comparison() {
    return new MariadbComparison(server, memory.server(), values);
  }

  @Override
  public SourceLog log() {
    return new MariadbLog(server, memory);
  }

  @Override
  public SourceActivity activity() {
    return new MariadbActivity(server);
  }

  /** Sluice's sessions can only read. */
  @Override
  public Optional<WriterStop> writers() {
    return Optional.empty();
  }

  @Override
  public LogRetention retention() {
    return new MariadbRetention(server, progress, snapshots, history, memory.server());
  }

  /** The binary log has no names. */
  @Override
  public LogRetention retention(String name) {
    return retention();
  }

  @Override
  public boolean takesKeptLog() {
    return false;
  }

  @Override
  public CapturedTables capturedTables() {
    return new WholeLog(server, memory.server(), address);
  }

  @Override
  public OldRowLogging oldRowLogging() {
    return new WholeRows();
  }

  @Override
  public DdlReporting ddlReporting() {
    return new LoggedDdl();
  }

  @Override
  public RetainedChanges retainedChanges() {
    return new UnsupportedUses(server.endpoint().type());
  }

  @Override
  public ReloadSnapshots reloadSnapshots() {
    return new MariadbReloads(snapshots, memory.fences());
  }

  @Override
  public StartRule startRule() {
    return new MariadbStartRule(
        server.read("list the binary logs of " + server, BinlogFiles::read),
        history::at,
        history::succession,
        memory.start());
  }

  @Override
  public ConnectProperties connector() {
    return new UnsupportedUses(server.endpoint().type());
  }

  @Override
  public void requireStop(CdcStop stop) {
    if (stop instanceof CdcStop.AtPosition at) {
      history.requireStop(at.position());
    }
  }

  @Override
  public Capture startCapture(CaptureRequest request, CaptureScope scope) {
    return new MariadbCaptureOpening(task, server, values, history, progress, memory)
        .open(request, scope);
  }
}
