package dev.sluice.connector.postgres;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.internals.PgjdbcInternals;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.api.Capture;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.comparison.ComparisonSource;
import dev.sluice.connector.api.source.CaptureRequest;
import dev.sluice.connector.api.source.CaptureScope;
import dev.sluice.connector.api.source.ConnectProperties;
import dev.sluice.connector.api.source.DdlReporting;
import dev.sluice.connector.api.source.Source;
import dev.sluice.connector.api.source.SourceIdentity;
import dev.sluice.connector.api.source.SourceLock;
import dev.sluice.connector.api.source.SourceProbe;
import dev.sluice.connector.api.source.StartRule;
import dev.sluice.connector.api.source.TaskMark;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.connector.api.source.catalog.SourceCatalog;
import dev.sluice.connector.api.source.load.SourceReader;
import dev.sluice.connector.api.source.writers.WriterStop;
import dev.sluice.connector.comparison.PostgresComparisonSource;
import dev.sluice.connector.postgres.activity.PostgresActivity;
import dev.sluice.connector.postgres.capture.LogCapture;
import dev.sluice.connector.postgres.capture.MessagePrefixes;
import dev.sluice.connector.postgres.capture.OwnMessages;
import dev.sluice.connector.postgres.catalog.Relatives;
import dev.sluice.connector.postgres.catalog.SourceTableReader;
import dev.sluice.connector.postgres.check.PostgresChecks;
import dev.sluice.connector.postgres.ddl.DefinitionReports;
import dev.sluice.connector.postgres.ddl.DefinitionTrigger;
import dev.sluice.connector.postgres.ddl.ForeignSubscribers;
import dev.sluice.connector.postgres.load.SequenceReader;
import dev.sluice.connector.postgres.publication.PeekedChanges;
import dev.sluice.connector.postgres.publication.Publication;
import dev.sluice.connector.postgres.publication.PublishedRows;
import dev.sluice.connector.postgres.publication.ReplicaIdentities;
import dev.sluice.connector.postgres.server.LockAttempts;
import dev.sluice.connector.postgres.server.PostgresConfig;
import dev.sluice.connector.postgres.server.PostgresProbe;
import dev.sluice.connector.postgres.server.SameDatabaseLock;
import dev.sluice.connector.postgres.server.ServerIdentity;
import dev.sluice.connector.postgres.server.SourceFailures;
import dev.sluice.connector.postgres.server.SourceServer;
import dev.sluice.connector.postgres.slot.PostgresLog;
import dev.sluice.connector.postgres.slot.PostgresStartRule;
import dev.sluice.connector.postgres.slot.ReplicationSlot;
import dev.sluice.connector.postgres.slot.TemporarySlot;
import dev.sluice.connector.postgres.writers.PostgresWriters;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** The PostgreSQL source of a task, and the factory of all objects that work on it. Threadsafe. */
public final class PostgresSource implements Source {
  private final String task;
  private final PostgresConfig config;
  private final SourceServer server;
  private final Supplier<TaskMark> mark;
  private final PublishedRows publishedRows = new PublishedRows();
  private final OwnMessages ownMessages = new OwnMessages(Clock.systemUTC());

  /** A source for a task without stored state: its objects are recognized by the task's name. */
  public PostgresSource(String task, PostgresConfig config) {
    this(task, config, () -> TaskMark.ofName(task));
  }

  /**
   * @param mark identifies the task as the owner of what it creates; called at each use
   * @throws SluiceException.Fatal if a library does not have what Sluice uses of it
   */
  public PostgresSource(String task, PostgresConfig config, Supplier<TaskMark> mark) {
    PgjdbcInternals.require();
    this.task = task;
    this.config = config;
    this.server = SourceServer.of(config.endpoint(), "sluice " + task);
    this.mark = mark;
  }

  @Override
  public SourceProbe probe() {
    return new PostgresProbe(server);
  }

  @Override
  public SourceReader reader() {
    return new PostgresReader(server);
  }

  @Override
  public ComparisonSource comparison() {
    return new PostgresComparisonSource(new ComparedSource(server));
  }

  @Override
  public ConnectProperties connector() {
    return new DebeziumProperties(config);
  }

  @Override
  public StartRule startRule() {
    return new PostgresStartRule();
  }

  public SourceServer server() {
    return server;
  }

  /**
   * The pre-flight checks: they find what would prevent the task from running, and change nothing.
   */
  @Override
  public PostgresChecks checks() {
    return new PostgresChecks(config, server, capturedTables(), retention());
  }

  /**
   * The selected tables of the source.
   *
   * @param selected tests the name of the root
   */
  @Override
  public SourceCatalog catalog(Predicate<TableId> selected) {
    return readCatalog(connection -> SourceTableReader.tables(connection, selected));
  }

  /** In short attempts: describing a partition locks it until the statement ends. */
  private <T> T readCatalog(CatalogReading<T> reading) {
    try (Connection connection = server.borrow()) {
      return new LockAttempts(server)
          .read("reading the source's catalog", connection, () -> reading.read(connection));
    } catch (SQLException e) {
      throw SourceFailures.classify("reading the source's catalog", e);
    }
  }

  private interface CatalogReading<T> {
    T read(Connection connection) throws SQLException;
  }

  /** The selected views and materialized views: they are loaded once and not replicated. */
  @Override
  public List<CatalogTable> views(TableMappings mappings) {
    return mappings.includesViews()
        ? readCatalog(
            connection -> SourceTableReader.views(connection, mappings.ofViews()::selects))
        : List.of();
  }

  /** The given tables with their ancestors and descendants, by partitioning or inheritance. */
  @Override
  public Set<TableId> relatives(Collection<TableId> tables) {
    try (Connection connection = server.borrow()) {
      return Relatives.of(connection, tables);
    } catch (SQLException e) {
      throw SourceFailures.classify("reading the inheritance of the source's tables", e);
    }
  }

  /** Takes a lock by which another session can see whether it is in the same database. */
  @Override
  public Optional<SourceLock> takeLock(String targetType) {
    return Optional.of(SameDatabaseLock.take(server));
  }

  @Override
  public SourceIdentity identity() {
    return ServerIdentity.of(server);
  }

  @Override
  public Optional<Position> leftTimeline(int then, int now) {
    return ServerIdentity.leftTimeline(server, mark.get(), then, now);
  }

  /** The replica identities that tables had before Sluice gave them FULL. */
  @Override
  public ReplicaIdentities oldRowLogging() {
    return new ReplicaIdentities(server, config.replicaIdentityFull());
  }

  @Override
  public Publication capturedTables() {
    return new Publication(
        server, config.publicationName(), config.slotName(), mark.get(), publishedRows);
  }

  @Override
  public ReplicationSlot retention() {
    return retention(config.slotName());
  }

  /** A slot of the given name instead of the task file's. */
  @Override
  public ReplicationSlot retention(String name) {
    return new ReplicationSlot(server, name, config.publicationName(), mark.get());
  }

  @Override
  public boolean takesKeptLog() {
    return config.takeSlot();
  }

  @Override
  public TemporarySlot reloadSnapshots() {
    return TemporarySlot.beside(config.slotName(), this::retention);
  }

  @Override
  public PostgresLog log() {
    return new PostgresLog(server, prefixes(), ownMessages);
  }

  @Override
  public PostgresActivity activity() {
    return new PostgresActivity(server);
  }

  @Override
  public Optional<WriterStop> writers() {
    return Optional.of(new PostgresWriters(server, activity()));
  }

  /** The messages that this process wrote into the log, with a count of forged ones. */
  public OwnMessages ownMessages() {
    return ownMessages;
  }

  /** The changes after the slot's position, while no capture runs. */
  @Override
  public PeekedChanges retainedChanges() {
    return new PeekedChanges(server, config.slotName(), config.publicationName());
  }

  @Override
  public Map<TableId, Long> sequenceValues() {
    return SequenceReader.lastValues(server);
  }

  /** The event triggers by which DDL is replicated. */
  public DefinitionTrigger definitionTrigger() {
    return new DefinitionTrigger(
        server,
        task,
        mark.get().id().toString(),
        config.slotName(),
        config.triggersBesideSubscriptions()
            ? Optional.empty()
            : Optional.of(
                new ForeignSubscribers(
                    config.publicationName(),
                    List.of(config.slotName(), reloadSnapshots().name()))));
  }

  @Override
  public DdlReporting ddlReporting() {
    return new TriggerReporting(
        definitionTrigger(), config.publicationName(), config.replicaIdentityFull());
  }

  /** The prefixes of the task's own messages in the log: fences and progress. */
  public MessagePrefixes prefixes() {
    return MessagePrefixes.ofTask(task);
  }

  @Override
  public Capture startCapture(CaptureRequest request, CaptureScope scope) {
    boolean definitions = scope.reportsDdl();
    List<String> publications =
        definitions
            ? List.of(config.publicationName(), DefinitionTrigger.PUBLICATION)
            : List.of(config.publicationName());
    PublishedTables tables =
        new PublishedTables(
            server,
            task,
            scope.tables(),
            definitions ? Optional.of(new DefinitionReports(server, task)) : Optional.empty(),
            scope.selection(),
            scope.oldRowsWanted());
    LogCapture capture =
        new LogCapture(
            task,
            request,
            new LogCapture.Log(server, config.slotName(), publications, mark.get().sessionName()),
            new LogCapture.Decoding(prefixes(), ownMessages, tables, log().nextTransactionId()));
    return new PostgresCapture(
        capture,
        server,
        log(),
        definitions ? Optional.of(definitionTrigger()) : Optional.empty(),
        request.idleAfter(),
        task);
  }
}
