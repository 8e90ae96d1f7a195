package dev.sluice.target.yugabytedb;

import dev.sluice.connector.api.comparison.ComparisonTarget;
import dev.sluice.connector.comparison.OneTransactionTarget;
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
import dev.sluice.sink.target.postgres.ComparedTarget;
import dev.sluice.sink.target.postgres.PostgresDialect;
import java.util.EnumSet;
import java.util.Set;

/**
 * YugabyteDB as a target: PostgreSQL's dialect, without what YugabyteDB lacks. Experimental: it was
 * tested on PostgreSQL behind a proxy that refuses what YugabyteDB lacks, and never on YugabyteDB.
 * Stateless, threadsafe.
 */
public final class YugabyteDialect implements TargetDialect {
  public static final YugabyteDialect INSTANCE =
      new YugabyteDialect(YugabyteStagingStatements.CLEARED_ROWS);

  private final TargetDialect postgres = PostgresDialect.INSTANCE;
  private final TargetErrors errors = new YugabyteErrors(postgres.errors());
  private final TargetSessions sessions = new YugabyteSessions(postgres.sessions(), errors);
  private final StagingStatements staging;
  private final BulkLoad bulk = new YugabyteBulkLoad(postgres.bulk());
  private final EmptyingStatements emptying = new YugabyteEmptyingStatements(postgres.emptying());
  private final CatalogReader catalog = new YugabyteCatalog(postgres.catalog());
  private final ServerChecks checks = new YugabyteServerChecks(postgres.checks());
  private final DdlStatements ddl = new YugabyteDdlStatements();
  private final LoadStatements load = new YugabyteLoadStatements(postgres.load());
  private final CorrectionLocks correctionLocks = new YugabyteCorrectionLocks();
  private final ControlDefinitions controlDefinitions =
      new YugabyteControlDefinitions(postgres.controlDefinitions());

  /**
   * @param clearedRows how many rows may be deleted from a temporary table before the session is
   *     replaced
   */
  YugabyteDialect(long clearedRows) {
    staging = new YugabyteStagingStatements(postgres.staging(), clearedRows);
  }

  @Override
  public String type() {
    return "yugabytedb";
  }

  /** All limits except those that PostgreSQL's dialect and the replica role remove. */
  @Override
  public Set<TargetLimit> limits() {
    return EnumSet.complementOf(
        EnumSet.of(
            TargetLimit.MADE_TABLES,
            TargetLimit.TRIGGERS,
            TargetLimit.OTHER_DATABASES,
            TargetLimit.COMPARISONS,
            TargetLimit.CORRECTIONS,
            TargetLimit.CUTOVERS,
            TargetLimit.PLAIN_JSON,
            TargetLimit.OBJECTS));
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
    return postgres.keyed();
  }

  @Override
  public MultisetStatements multiset() {
    throw Refusal.of(TargetLimit.TABLES_WITHOUT_KEY);
  }

  @Override
  public OrderedStatements ordered() {
    return postgres.ordered();
  }

  @Override
  public EmptyingStatements emptying() {
    return emptying;
  }

  @Override
  public DeferredStatements deferred() {
    throw Refusal.of("checks of deferrable constraints");
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
    return postgres.columnFixes();
  }

  @Override
  public TargetDefinitions definitions(TargetConnection connection) {
    return new YugabyteDefinitions(postgres.definitions(connection), connection);
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
    return postgres.control();
  }

  @Override
  public NamedLocks locks() {
    return postgres.locks();
  }

  @Override
  public CorrectionLocks correctionLocks() {
    return correctionLocks;
  }

  @Override
  public ComparisonTarget comparison(TargetLogin login) {
    return new OneTransactionTarget(
        new ComparedTarget(sessions, login, errors, YugabyteSessions.OF_READERS));
  }
}
