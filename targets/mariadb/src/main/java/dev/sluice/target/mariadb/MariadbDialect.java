package dev.sluice.target.mariadb;

import dev.sluice.connector.api.comparison.ComparisonTarget;
import dev.sluice.sink.target.BulkLoad;
import dev.sluice.sink.target.CatalogReader;
import dev.sluice.sink.target.ColumnFit;
import dev.sluice.sink.target.ColumnFixes;
import dev.sluice.sink.target.CorrectionLocks;
import dev.sluice.sink.target.DdlStatements;
import dev.sluice.sink.target.DeferredStatements;
import dev.sluice.sink.target.EmptyingStatements;
import dev.sluice.sink.target.KeyedStatements;
import dev.sluice.sink.target.LoadStatements;
import dev.sluice.sink.target.MultisetStatements;
import dev.sluice.sink.target.OrderedStatements;
import dev.sluice.sink.target.ServerChecks;
import dev.sluice.sink.target.StagingStatements;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetDefinitions;
import dev.sluice.sink.target.TargetDialect;
import dev.sluice.sink.target.TargetErrors;
import dev.sluice.sink.target.TargetLimit;
import dev.sluice.sink.target.TargetLogin;
import dev.sluice.sink.target.TargetSessions;
import dev.sluice.sink.target.control.ControlDefinitions;
import dev.sluice.sink.target.control.ControlStatements;
import dev.sluice.sink.target.control.NamedLocks;
import dev.sluice.target.mariadb.catalog.MariadbCatalog;
import dev.sluice.target.mariadb.catalog.MariadbColumnFit;
import dev.sluice.target.mariadb.catalog.MariadbColumnFixes;
import dev.sluice.target.mariadb.catalog.MariadbDdlStatements;
import dev.sluice.target.mariadb.catalog.MariadbLoadStatements;
import dev.sluice.target.mariadb.catalog.MariadbServerChecks;
import dev.sluice.target.mariadb.comparison.MariadbComparisonTarget;
import dev.sluice.target.mariadb.control.MariadbControlDefinitions;
import dev.sluice.target.mariadb.control.MariadbControlStatements;
import dev.sluice.target.mariadb.control.MariadbLocks;
import dev.sluice.target.mariadb.definition.CommittedDefinitions;
import dev.sluice.target.mariadb.server.ServerKind;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/** MariaDB or MySQL as a target. Stateless, threadsafe. */
public final class MariadbDialect implements TargetDialect {
  private static final Set<TargetLimit> LIMITS =
      EnumSet.complementOf(
          EnumSet.of(
              TargetLimit.MADE_TABLES,
              TargetLimit.COMPARISONS,
              TargetLimit.CORRECTIONS,
              TargetLimit.SHORT_SNAPSHOTS,
              TargetLimit.LOCKS_ON_LISTS,
              TargetLimit.CUTOVERS,
              TargetLimit.OTHER_SOURCES));

  public static final MariadbDialect INSTANCE = new MariadbDialect(ServerKind.MARIADB);
  public static final MariadbDialect MYSQL = new MariadbDialect(ServerKind.MYSQL);

  private final ServerKind server;
  private final TargetSessions sessions;
  private final TargetErrors errors = new MariadbErrors();
  private final StagingStatements staging;
  private final BulkLoad bulk = new MariadbBulkLoad();
  private final KeyedStatements keyed;
  private final OrderedStatements ordered = new MariadbOrderedStatements();
  private final EmptyingStatements emptying;
  private final CatalogReader catalog;
  private final ServerChecks checks;
  private final ColumnFit columnFit;
  private final ColumnFixes columnFixes;
  private final LoadStatements load;
  private final DdlStatements ddl;
  private final ControlDefinitions controlDefinitions;
  private final ControlStatements control;
  private final NamedLocks locks = new MariadbLocks();
  private final CorrectionLocks correctionLocks = new MariadbCorrectionLocks();

  private MariadbDialect(ServerKind server) {
    this.server = server;
    this.sessions = new MariadbSessions(server);
    this.staging = new MariadbStagingStatements(server);
    this.keyed = new MariadbKeyedStatements(server);
    this.emptying = new MariadbEmptyingStatements(server);
    this.catalog = new MariadbCatalog(server);
    this.checks = new MariadbServerChecks(server);
    this.columnFit = new MariadbColumnFit(server);
    this.columnFixes = new MariadbColumnFixes(server);
    this.load = new MariadbLoadStatements(server);
    this.ddl = new MariadbDdlStatements(server);
    this.controlDefinitions = new MariadbControlDefinitions(server);
    this.control = new MariadbControlStatements(server);
  }

  @Override
  public String type() {
    return server.type();
  }

  @Override
  public Set<TargetLimit> limits() {
    return Set.copyOf(LIMITS);
  }

  @Override
  public TargetSessions sessions() {
    return sessions;
  }

  @Override
  public TargetErrors errors() {
    return errors;
  }

  @Override
  public StagingStatements staging() {
    return staging;
  }

  @Override
  public BulkLoad bulk() {
    return bulk;
  }

  @Override
  public KeyedStatements keyed() {
    return keyed;
  }

  @Override
  public MultisetStatements multiset() {
    throw refused(TargetLimit.TABLES_WITHOUT_KEY);
  }

  @Override
  public OrderedStatements ordered() {
    return ordered;
  }

  @Override
  public EmptyingStatements emptying() {
    return emptying;
  }

  /** No constraint is deferrable, so no table asks for these statements. */
  @Override
  public DeferredStatements deferred() {
    throw new IllegalStateException("BUG: these servers have no deferrable constraints");
  }

  @Override
  public CatalogReader catalog() {
    return catalog;
  }

  @Override
  public ServerChecks checks() {
    return checks;
  }

  @Override
  public ColumnFixes columnFixes() {
    return columnFixes;
  }

  @Override
  public Optional<ColumnFit> columnFit() {
    return Optional.of(columnFit);
  }

  @Override
  public TargetDefinitions definitions(TargetConnection connection) {
    return new CommittedDefinitions(server, connection);
  }

  @Override
  public DdlStatements ddl() {
    return ddl;
  }

  @Override
  public LoadStatements load() {
    return load;
  }

  @Override
  public ControlDefinitions controlDefinitions() {
    return controlDefinitions;
  }

  @Override
  public ControlStatements control() {
    return control;
  }

  @Override
  public NamedLocks locks() {
    return locks;
  }

  @Override
  public CorrectionLocks correctionLocks() {
    return correctionLocks;
  }

  @Override
  public ComparisonTarget comparison(TargetLogin login) {
    return new MariadbComparisonTarget(server, sessions, login, errors);
  }

  private RuntimeException refused(TargetLimit limit) {
    return limit.refusal(server.type(), server.label());
  }
}
