package dev.sluice.sink.target;

import dev.sluice.connector.api.comparison.ComparisonTarget;
import dev.sluice.sink.target.control.ControlDefinitions;
import dev.sluice.sink.target.control.ControlStatements;
import dev.sluice.sink.target.control.NamedLocks;
import java.util.Optional;
import java.util.Set;

/**
 * Everything that is specific to one kind of target database: its sessions, its errors, its bulk
 * load and the text of its statements. The phases, the windows and the accounting of rows are the
 * same for every kind. Stateless, threadsafe.
 */
public interface TargetDialect {

  /** The type of target, as the task file names it. */
  String type();

  /** What this kind of target cannot do. */
  Set<TargetLimit> limits();

  /** A warning about servers on which it was never tested; empty if there are none. */
  default Optional<String> untried() {
    return Optional.empty();
  }

  TargetSessions sessions();

  TargetErrors errors();

  StagingStatements staging();

  BulkLoad bulk();

  KeyedStatements keyed();

  MultisetStatements multiset();

  OrderedStatements ordered();

  EmptyingStatements emptying();

  DeferredStatements deferred();

  CatalogReader catalog();

  ServerChecks checks();

  ColumnFixes columnFixes();

  /**
   * Judges columns by their types; empty if the target has the source's types, which are compared
   * by both catalogs.
   */
  default Optional<ColumnFit> columnFit() {
    return Optional.empty();
  }

  /** Reads and changes definitions in this session. */
  TargetDefinitions definitions(TargetConnection connection);

  DdlStatements ddl();

  LoadStatements load();

  ControlDefinitions controlDefinitions();

  ControlStatements control();

  NamedLocks locks();

  CorrectionLocks correctionLocks();

  /** Reads tables under snapshots, for comparisons with the source. */
  ComparisonTarget comparison(TargetLogin login);
}
