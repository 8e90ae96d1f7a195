package dev.sluice.target.db2;

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
import dev.sluice.sink.target.RefusedDdlStatements;
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
import dev.sluice.target.db2.catalog.Db2Catalog;
import dev.sluice.target.db2.catalog.Db2ColumnFit;
import dev.sluice.target.db2.catalog.Db2ColumnFixes;
import dev.sluice.target.db2.catalog.Db2Definitions;
import dev.sluice.target.db2.catalog.Db2LoadStatements;
import dev.sluice.target.db2.catalog.Db2Refusal;
import dev.sluice.target.db2.catalog.Db2ServerChecks;
import dev.sluice.target.db2.comparison.Db2ComparisonTarget;
import dev.sluice.target.db2.control.Db2ControlDefinitions;
import dev.sluice.target.db2.control.Db2ControlStatements;
import dev.sluice.target.db2.control.Db2Locks;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/** Db2 as a target, experimental. Stateless, threadsafe. */
public final class Db2Dialect implements TargetDialect {
  public static final Db2Dialect INSTANCE = new Db2Dialect();

  static final String TYPE = "db2";

  private final TargetSessions sessions = new Db2Sessions();
  private final TargetErrors errors = new Db2Errors();
  private final StagingStatements staging = new Db2StagingStatements();
  private final BulkLoad bulk = new Db2BulkLoad();
  private final KeyedStatements keyed = new Db2KeyedStatements();
  private final OrderedStatements ordered = new Db2OrderedStatements();
  private final EmptyingStatements emptying = new Db2EmptyingStatements();
  private final CatalogReader catalog = new Db2Catalog();
  private final ServerChecks checks = new Db2ServerChecks();
  private final ColumnFit columnFit = new Db2ColumnFit();
  private final ColumnFixes columnFixes = new Db2ColumnFixes();
  private final LoadStatements load = new Db2LoadStatements();
  private final DdlStatements ddl = new RefusedDdlStatements(Db2Refusal::ofDefinition);
  private final ControlDefinitions controlDefinitions = new Db2ControlDefinitions();
  private final ControlStatements control = new Db2ControlStatements();
  private final NamedLocks locks = new Db2Locks();
  private final CorrectionLocks correctionLocks = new Db2CorrectionLocks();

  private Db2Dialect() {}

  @Override
  public String type() {
    return TYPE;
  }

  /**
   * All limits but these. {@code OTHER_DATABASES} is no limit, since a database of Db2 has several
   * schemas.
   */
  @Override
  public Set<TargetLimit> limits() {
    return EnumSet.complementOf(
        EnumSet.of(
            TargetLimit.OTHER_DATABASES,
            TargetLimit.COMPARISONS,
            TargetLimit.CORRECTIONS,
            TargetLimit.CUTOVERS,
            TargetLimit.SHORT_SNAPSHOTS));
  }

  @Override
  public Optional<String> untried() {
    return Optional.of(
        "Db2 as a target is experimental: it was tested only on Apache Derby through IBM's driver, and never on Db2. Try it with a copy first, and run sluice validate");
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
    throw Db2Refusal.of(TargetLimit.TABLES_WITHOUT_KEY);
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
    throw new IllegalStateException("BUG: Db2 has no deferrable constraints");
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
    return new Db2Definitions(connection);
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
    return new Db2ComparisonTarget(sessions, login, errors, catalog);
  }
}
