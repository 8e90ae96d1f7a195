package dev.sluice.sink.apply.ddl;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.ddl.DefinitionChange;
import dev.sluice.connector.api.ddl.TableDefinition;
import dev.sluice.connector.api.ddl.TableDefinition.Partition;
import dev.sluice.sink.target.DdlStatements;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetDefinitions;
import dev.sluice.sink.target.TargetDefinitions.Found;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates, attaches and detaches partitions as on the source. The target may be partitioned
 * differently or not at all. Owned by the apply thread.
 */
final class PartitionPlaces {
  private static final Logger LOG = LoggerFactory.getLogger(PartitionPlaces.class);

  private final TargetConnection connection;
  private final TargetDefinitions target;
  private final DefinitionStatements statements;
  private final UnaryOperator<TableId> targetOf;

  PartitionPlaces(
      TargetConnection connection,
      TargetDefinitions target,
      DefinitionStatements statements,
      UnaryOperator<TableId> targetOf) {
    this.connection = connection;
    this.target = target;
    this.statements = statements;
    this.targetOf = targetOf;
  }

  /** Creates a partition, if its parent exists on the target and is partitioned there. */
  void add(TableDefinition after, TableId now) throws SQLException {
    TableId parent = targetOf.apply(after.partition().parent());
    Optional<Found> root = target.find(parent);
    if (root.isEmpty() || !root.get().partitioned() || target.find(now).isPresent()) {
      return;
    }
    target.makeSchema(now.schema());
    String sql = ddl().createPartition(now, parent, after);
    if (statements.runOptional(List.of(sql))) {
      statements.run(ddl().closeAsMoved(now));
      LOG.info("partition {} of {} created on the target", now, parent);
    }
  }

  /** Detaches a partition from its parent, or attaches a table to one; mostly nothing. */
  void move(DefinitionChange change, TableId now) throws SQLException {
    if (samePlace(change.before().partition(), change.after().partition())) {
      return;
    }
    Partition from = change.before().partition();
    Partition to = change.after().partition();
    Optional<Found> table = target.find(now);
    if (from != null && !isRenamedParent(from, table)) {
      detach(change, from, table, now);
      table = target.find(now);
    }
    if (to == null || table.isPresent() && table.get().isPartitionOf(targetOf.apply(to.parent()))) {
      return;
    }
    if (table.isEmpty()) {
      add(change.after(), now);
      return;
    }
    statements.run(List.of(ddl().attach(now, targetOf.apply(to.parent()), to.bound())));
    LOG.info("table {} is now a partition of {} on the target", now, to.parent());
  }

  /** Whether the parent was renamed: its own change comes first. */
  private boolean isRenamedParent(Partition from, Optional<Found> table) {
    return table.isPresent() && table.get().parent() == null
        || table.isPresent() && !table.get().isPartitionOf(targetOf.apply(from.parent()));
  }

  private void detach(DefinitionChange change, Partition from, Optional<Found> table, TableId now)
      throws SQLException {
    TableId parent = targetOf.apply(from.parent());
    if (table.isPresent()) {
      statements.run(List.of(ddl().detach(now, parent)));
      LOG.info("table {} is no partition of {} any more on the target", now, parent);
      return;
    }
    if (change.begins()) {
      throw DefinitionStatements.refused(
          now,
          "was a partition of %s, which has no such partition on the target".formatted(parent));
    }
    delete(from);
  }

  /** Deletes the partition's rows from a target table that lacks the same partition. */
  void delete(Partition partition) throws SQLException {
    TableId parent = targetOf.apply(partition.parent());
    TableId holder = target.find(parent).isPresent() ? parent : targetOf.apply(partition.root());
    if (target.find(holder).isPresent() && partition.condition() != null) {
      connection.execute(ddl().deleteRows(holder, partition.condition()));
    }
  }

  private DdlStatements ddl() {
    return connection.dialect().ddl();
  }

  private static boolean samePlace(Partition before, Partition after) {
    return before == null
        ? after == null
        : after != null
            && before.parent().equals(after.parent())
            && before.bound().equals(after.bound());
  }
}
