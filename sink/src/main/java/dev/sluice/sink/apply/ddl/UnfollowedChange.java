package dev.sluice.sink.apply.ddl;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.ddl.ColumnDefinition;
import dev.sluice.connector.api.ddl.DefinitionChange;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetDefinitions;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * A change of a table that the target does not follow, since HandleSourceTableAltered is false. The
 * rows that come after it must still belong into the target table as it is. Owned by the apply
 * thread.
 */
final class UnfollowedChange {
  private final TargetConnection connection;
  private final TargetDefinitions target;
  private final DefinitionChange change;
  private final TableId was;
  private final TableId now;

  /**
   * @param change of a table that was there before; its root, if it has partitions
   * @param targetOf maps a source table to its target table
   */
  UnfollowedChange(
      TargetConnection connection,
      TargetDefinitions target,
      DefinitionChange change,
      UnaryOperator<TableId> targetOf) {
    this.connection = connection;
    this.target = target;
    this.change = change;
    this.was = targetOf.apply(change.before().table());
    this.now = targetOf.apply(change.after().table());
  }

  /**
   * @throws SluiceException.Data if rows would come into another table, or with values that the
   *     source does not have
   */
  void requireHarmless() throws SQLException {
    requireSameName();
    requireNone(KeptColumns.filled(connection, was, droppedColumns()));
    requireNone(EndedGeneration.problems(connection, change, now));
  }

  /** Requires that rows do not come under another name, where there may be another table. */
  private void requireSameName() throws SQLException {
    boolean isSame = was.equals(now) || target.find(was).isEmpty() && target.find(now).isPresent();
    if (!isSame) {
      throw DefinitionStatements.refused(
          now, "is still %s, since HandleSourceTableAltered is false".formatted(was));
    }
  }

  private List<String> droppedColumns() {
    Set<String> stay =
        change.after().columns().stream().map(ColumnDefinition::name).collect(Collectors.toSet());
    return change.before().columns().stream()
        .map(ColumnDefinition::name)
        .filter(name -> !stay.contains(name))
        .toList();
  }

  private static void requireNone(List<Problem> problems) {
    if (!problems.isEmpty()) {
      throw new SluiceException.Data(
          problems.stream().map(Problem::toString).collect(Collectors.joining("\n")), null);
    }
  }
}
