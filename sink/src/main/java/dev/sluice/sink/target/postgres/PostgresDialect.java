package dev.sluice.sink.target.postgres;

import dev.sluice.config.task.Endpoint;
import dev.sluice.connector.api.comparison.ComparisonTarget;
import dev.sluice.connector.comparison.PostgresComparisonTarget;
import dev.sluice.sink.target.BulkLoad;
import dev.sluice.sink.target.CatalogReader;
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
import dev.sluice.sink.target.postgres.catalog.PostgresCatalog;
import dev.sluice.sink.target.postgres.catalog.PostgresColumnFixes;
import dev.sluice.sink.target.postgres.catalog.PostgresDdlStatements;
import dev.sluice.sink.target.postgres.catalog.PostgresDefinitions;
import dev.sluice.sink.target.postgres.catalog.PostgresLoadStatements;
import dev.sluice.sink.target.postgres.catalog.PostgresServerChecks;
import dev.sluice.sink.target.postgres.control.PostgresControlDefinitions;
import dev.sluice.sink.target.postgres.control.PostgresControlStatements;
import dev.sluice.sink.target.postgres.control.PostgresLocks;
import java.util.Set;

/** PostgreSQL as a target. Stateless, threadsafe. */
public final class PostgresDialect implements TargetDialect {
  public static final PostgresDialect INSTANCE = new PostgresDialect();

  private final TargetSessions sessions = new PostgresSessions();
  private final TargetErrors errors = new PostgresErrors();
  private final StagingStatements staging = new PostgresStagingStatements();
  private final BulkLoad bulk = new PostgresBulkLoad();
  private final KeyedStatements keyed = new PostgresKeyedStatements();
  private final MultisetStatements multiset = new PostgresMultisetStatements();
  private final OrderedStatements ordered = new PostgresOrderedStatements();
  private final EmptyingStatements emptying = new PostgresEmptyingStatements();
  private final DeferredStatements deferred = new PostgresDeferredStatements();
  private final CatalogReader catalog = new PostgresCatalog();
  private final ServerChecks checks = new PostgresServerChecks();
  private final ColumnFixes columnFixes = new PostgresColumnFixes();
  private final DdlStatements ddl = new PostgresDdlStatements();
  private final LoadStatements load = new PostgresLoadStatements();
  private final ControlDefinitions controlDefinitions = new PostgresControlDefinitions();
  private final ControlStatements control = new PostgresControlStatements();
  private final NamedLocks locks = new PostgresLocks();
  private final CorrectionLocks correctionLocks = new PostgresCorrectionLocks();

  private PostgresDialect() {}

  @Override
  public String type() {
    return Endpoint.POSTGRESQL;
  }

  @Override
  public Set<TargetLimit> limits() {
    return Set.of();
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
    return multiset;
  }

  @Override
  public OrderedStatements ordered() {
    return ordered;
  }

  @Override
  public EmptyingStatements emptying() {
    return emptying;
  }

  @Override
  public DeferredStatements deferred() {
    return deferred;
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
  public TargetDefinitions definitions(TargetConnection connection) {
    return new PostgresDefinitions(connection);
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
    return new PostgresComparisonTarget(new ComparedTarget(sessions, login, errors, ""));
  }
}
