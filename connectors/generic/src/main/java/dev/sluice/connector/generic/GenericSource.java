package dev.sluice.connector.generic;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.config.task.CdcStart;
import dev.sluice.config.task.CdcStop;
import dev.sluice.connector.api.Capture;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.comparison.ComparisonSource;
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
import dev.sluice.connector.api.source.TaskMark;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.connector.api.source.catalog.SourceCatalog;
import dev.sluice.connector.api.source.load.SourceReader;
import dev.sluice.connector.api.source.writers.WriterStop;
import dev.sluice.connector.generic.catalog.GenericReader;
import dev.sluice.connector.generic.catalog.JdbcCatalog;
import dev.sluice.connector.generic.catalog.JdbcProbe;
import dev.sluice.connector.generic.catalog.JdbcServer;
import dev.sluice.connector.generic.catalog.JdbcTable;
import dev.sluice.connector.generic.catalog.PostgresLock;
import dev.sluice.connector.generic.check.GenericChecks;
import dev.sluice.connector.generic.config.GenericConfig;
import dev.sluice.connector.generic.config.KnownConnector;
import dev.sluice.connector.generic.config.NotBuilt;
import dev.sluice.connector.generic.database.DatabaseFacts;
import dev.sluice.connector.generic.database.SlotClaim;
import dev.sluice.connector.generic.start.AttemptPosition;
import dev.sluice.connector.generic.start.BeginningAgain;
import dev.sluice.connector.generic.start.CaptureState;
import dev.sluice.connector.generic.start.CapturedDefinitions;
import dev.sluice.connector.generic.start.GenericLog;
import dev.sluice.connector.generic.start.JournalStartRule;
import dev.sluice.connector.generic.start.OffsetRetention;
import dev.sluice.connector.generic.start.StartPlaces;
import dev.sluice.connector.generic.start.StopSearch;
import java.time.Clock;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * A source that a Debezium connector reads, and the factory of all objects that work on it. Rows
 * come from the connector only; definitions are read by JDBC. Threadsafe.
 */
final class GenericSource implements Source {
  private final String task;
  private final GenericConfig config;
  private final JdbcServer server;
  private final Supplier<TaskMark> mark;
  private final Optional<SlotClaim> claim;
  private final CaptureState state = new CaptureState();
  private final StopSearch stopSearch;
  private final StartPlaces places;
  private volatile Optional<CapturedDefinitions> captured = Optional.empty();

  /**
   * @param mark identifies the task as the owner of what it claims; called at each use
   */
  GenericSource(String task, GenericConfig config, Supplier<TaskMark> mark) {
    this.task = task;
    this.config = config;
    this.mark = mark;
    this.server = new JdbcServer(config);
    this.stopSearch = new StopSearch(server, state, Clock.systemUTC());
    this.places = new StartPlaces(task, server, mark);
    this.claim = config.slot().map(this::claimOf);
  }

  private SlotClaim claimOf(String slot) {
    return new SlotClaim(server, slot, mark);
  }

  @Override
  public SourceIdentity identity() {
    return new GenericIdentity(server).read();
  }

  @Override
  public SourceIdentity identityAs(String recorded) {
    return new GenericIdentity(server).readAs(recorded);
  }

  @Override
  public Optional<Position> leftTimeline(int then, int now) {
    return Optional.empty();
  }

  @Override
  public SourceChecks checks() {
    return new GenericChecks(server);
  }

  @Override
  public SourceProbe probe() {
    return new JdbcProbe(server);
  }

  /** Only PostgreSQL can be source and target at once. */
  @Override
  public Optional<SourceLock> takeLock(String targetType) {
    return config.connector() == KnownConnector.POSTGRESQL
        ? Optional.of(PostgresLock.take(server))
        : Optional.empty();
  }

  @Override
  public SourceCatalog catalog(Predicate<TableId> selected) {
    return new SourceCatalog(
        server.ask(
            "read the tables",
            connection ->
                new JdbcCatalog(connection, config)
                    .tables(selected).stream().map(JdbcTable::inCatalog).toList()));
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
    return Map.of();
  }

  @Override
  public SourceReader reader() {
    return new GenericReader(server);
  }

  @Override
  public Optional<Problem> notComparable() {
    return Optional.of(NotBuilt.comparison());
  }

  @Override
  public ComparisonSource comparison() {
    throw new SluiceException.Fatal(NotBuilt.comparison());
  }

  @Override
  public SourceLog log() {
    return new GenericLog(state, stopSearch, this::clock, NotBuilt::fences);
  }

  private Instant clock() {
    if (!findsStopAtMoment()) {
      throw new SluiceException.Fatal(NotBuilt.fences());
    }
    return server.ask("read the clock", session -> DatabaseFacts.of(config).clock(session));
  }

  @Override
  public Optional<Problem> notFenced() {
    return Optional.of(NotBuilt.fences());
  }

  @Override
  public boolean findsStopAtMoment() {
    return DatabaseFacts.knowEnd(config.connector());
  }

  @Override
  public Optional<String> rowsInLog() {
    return Optional.of("snapshot by Debezium");
  }

  @Override
  public boolean hasRowsAfter(Position position) {
    return AttemptPosition.isBeginning(position);
  }

  @Override
  public SourceActivity activity() {
    return new UnknownActivity();
  }

  @Override
  public Optional<WriterStop> writers() {
    return Optional.empty();
  }

  @Override
  public LogRetention retention() {
    return new OffsetRetention(server, state, claim, places);
  }

  /** The name that the task had before, whatever the file says now. */
  @Override
  public LogRetention retention(String name) {
    return claim.isEmpty() || claim.get().slot().equals(name)
        ? retention()
        : new OffsetRetention(server, state, Optional.of(claimOf(name)), places);
  }

  @Override
  public boolean takesKeptLog() {
    return config.takeSlot();
  }

  @Override
  public CapturedTables capturedTables() {
    return new ConnectorTables(server, captured);
  }

  @Override
  public OldRowLogging oldRowLogging() {
    return new ConnectorRows();
  }

  @Override
  public DdlReporting ddlReporting() {
    return new UnreportedDdl();
  }

  @Override
  public RetainedChanges retainedChanges() {
    return new NotBuilt();
  }

  /** Beside a load that goes on. A reload of single tables is refused before. */
  @Override
  public ReloadSnapshots reloadSnapshots() {
    return new BeginningAgain(state);
  }

  @Override
  public StartRule startRule() {
    return new JournalStartRule();
  }

  @Override
  public ConnectProperties connector() {
    return new NotBuilt();
  }

  /** Gives up what {@link #retention} has claimed for a capture that does not come. */
  void releaseClaim() {
    claim.ifPresent(SlotClaim::release);
  }

  @Override
  public Optional<Problem> noStart(CdcStart start) {
    return places.problem(start);
  }

  @Override
  public void requireStop(CdcStop stop) {
    CaptureOpening.requireLater(stop, Instant.now());
    if (!(stop instanceof CdcStop.AtCommitTime)) {
      server
          .ask(
              "look for the end of the log",
              session -> DatabaseFacts.of(server.config()).noEnd(session))
          .ifPresent(
              problem -> {
                throw new SluiceException.Fatal(problem);
              });
    }
  }

  @Override
  public Capture startCapture(CaptureRequest request, CaptureScope scope) {
    claim.ifPresent(SlotClaim::take);
    CaptureOpening opening =
        CaptureOpening.of(task, server, claim, request, scope, Clock.systemUTC());
    captured = Optional.of(opening.definitions());
    stopSearch.begin(request.stop(), opening.position());
    GenericCapture capture = opening.start(stopSearch, this::releaseClaim);
    state.follow(opening.position(), () -> capture.progress().acknowledged());
    return capture;
  }
}
