package dev.sluice.config.dms;

import dev.sluice.config.document.FileLocation;
import dev.sluice.config.document.Node;
import dev.sluice.config.task.MigrationType;
import java.util.List;

/**
 * One task of DMS, as {@code aws dms describe-replication-tasks} describes it. Immutable.
 *
 * @param place where it stands
 * @param mappings the document in TableMappings
 * @param settings the document in ReplicationTaskSettings
 * @param sourceArn the endpoint's name; empty if the task has none
 * @param targetArn the same
 * @param others the fields that a task file does not take
 */
record DmsTask(
    FileLocation place,
    String identifier,
    MigrationType migrationType,
    Node.Mapping mappings,
    Node.Mapping settings,
    String sourceArn,
    String targetArn,
    List<Node.Entry> others) {
  DmsTask {
    others = List.copyOf(others);
  }
}
