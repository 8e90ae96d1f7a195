package dev.sluice.sink.apply.ddl;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.ddl.DefinitionChange;
import dev.sluice.connector.api.ddl.TableDefinition.Partition;
import dev.sluice.sink.target.DdlStatements;
import dev.sluice.sink.target.TargetDefinitions;
import dev.sluice.sink.target.TargetDefinitions.Found;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drops target tables whose source tables were dropped, all in one statement. Where the target has
 * no such partition, the partition's rows are deleted instead. Owned by the apply thread.
 */
final class FollowedDrops {
  private static final Logger LOG = LoggerFactory.getLogger(FollowedDrops.class);

  private final DdlStatements ddl;
  private final TargetDefinitions target;
  private final DefinitionStatements statements;
  private final PartitionPlaces partitions;
  private final UnaryOperator<TableId> targetOf;

  FollowedDrops(
      DdlStatements ddl,
      TargetDefinitions target,
      DefinitionStatements statements,
      PartitionPlaces partitions,
      UnaryOperator<TableId> targetOf) {
    this.ddl = ddl;
    this.target = target;
    this.statements = statements;
    this.partitions = partitions;
    this.targetOf = targetOf;
  }

  /**
   * Drops those of the tables that are there.
   *
   * @throws SluiceException.Data if an object of the target depends on one of them
   */
  void drop(List<DefinitionChange> drops) throws SQLException {
    List<TableId> gone = new ArrayList<>();
    List<TableId> dropped =
        drops.stream().map(change -> targetOf.apply(change.before().table())).toList();
    for (DefinitionChange change : drops) {
      TableId table = targetOf.apply(change.before().table());
      Partition partition = change.before().partition();
      Optional<Found> found = target.find(table);
      if (partition == null) {
        found.ifPresent(there -> gone.add(table));
        continue;
      }
      TableId parent = targetOf.apply(partition.parent());
      if (found.isPresent() && found.get().isPartitionOf(parent)) {
        gone.add(table);
      } else if (!dropped.contains(parent) && !dropped.contains(targetOf.apply(partition.root()))) {
        partitions.delete(partition);
      }
    }
    if (gone.isEmpty()) {
      return;
    }
    statements.run(ddl.noteDroppedIfMoved(gone));
    try {
      statements.run(List.of(ddl.dropTables(gone)));
    } catch (SQLException e) {
      throw statements.dependent(
          e, gone.stream().map(TableId::quoted).collect(Collectors.joining(", ")));
    }
    LOG.info("dropped on the target: {}", gone);
  }
}
