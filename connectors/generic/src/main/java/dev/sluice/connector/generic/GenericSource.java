package dev.sluice.connector.generic;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.api.Capture;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.comparison.ComparisonSource;
import dev.sluice.connector.api.source.CaptureRequest;
import dev.sluice.connector.api.source.CaptureScope;
import dev.sluice.connector.api.source.CapturedTables;
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
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * A source that a Debezium connector reads, and the factory of all objects that work on it. Rows
 * come from the connector only; definitions are read by JDBC. Threadsafe.
 */
final class GenericSource implements Source {
  /** A server has no timelines here: a promoted standby is another source. */
  private static final int ONLY_TIMELINE = 1;

  private final String task;
  private final GenericConfig config;
  private final JdbcServer server;
  private final CaptureState state = new CaptureState();
  private volatile Optional<CapturedIds> captured = Optional.empty();

  GenericSource(String task, GenericConfig config) {
    this.task = task;
    this.config = config;
    this.server = new JdbcServer(config);
  }

  /** What the task file says: no question is the same for every database. */
  @Override
  public SourceIdentity identity() {
    return new SourceIdentity(
        "%s at %s:%d/%s"
            .formatted(
                config.connector().name(),
                config.endpoint().host(),
                config.endpoint().port(),
                config.endpoint().database()),
        ONLY_TIMELINE);
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
    return new SourceProbe() {
      @Override
      public void requireAnswer() {
        server.requireAnswer();
      }

      @Override
      public void close() {
        // Each question has a session of its own.
      }
    };
  }

  /** Only PostgreSQL can be source and target at once. */
  @Override
  public Optional<SourceLock> takeLock() {
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
    return Optional.of(
        NotBuilt.problem(
            "its tables cannot be compared with the target's: no snapshot of this database is known"
                + " at a position of the journal",
            "a source of type postgresql, mariadb or mysql",
            "Set EnableValidation to false. Compare by SQL on both sides, while nobody writes"));
  }

  @Override
  public ComparisonSource comparison() {
    throw new SluiceException.Fatal(notComparable().orElseThrow());
  }

  @Override
  public SourceLog log() {
    return new GenericLog(state, this::fenceProblem);
  }

  @Override
  public Optional<Problem> notFenced() {
    return Optional.of(fenceProblem());
  }

  private Problem fenceProblem() {
    return NotBuilt.problem(
        "nothing tells whether Debezium has read this database's log up to a moment, so it cannot"
            + " be known that the target has all changes",
        "a source of type postgresql, mariadb or mysql",
        "Stop the applications, wait until sluice status shows no new changes, and compare by SQL"
            + " on both sides before they write to the target");
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
    return new OffsetRetention(server, state);
  }

  /** The name that the task had before, whatever the file says now. */
  @Override
  public LogRetention retention(String name) {
    return new OffsetRetention(server, state, name);
  }

  @Override
  public boolean takesKeptLog() {
    return false;
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
  public dev.sluice.connector.api.source.ConnectorProperties connector() {
    return new NotBuilt();
  }

  @Override
  public Capture startCapture(CaptureRequest request, CaptureScope scope) {
    CaptureOpening opening = CaptureOpening.of(task, server, request);
    captured =
        CapturedIds.of(
            server, scope.tables().published().stream().map(CatalogTable::table).toList());
    GenericCapture capture = opening.start(scope);
    state.follow(opening.start(), () -> capture.progress().acknowledged());
    return capture;
  }
}
