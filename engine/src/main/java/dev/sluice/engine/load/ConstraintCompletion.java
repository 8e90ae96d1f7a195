package dev.sluice.engine.load;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.CompletionStep;
import dev.sluice.connector.api.load.CompletionStep.Kind;
import dev.sluice.connector.api.load.CompletionStep.Stage;
import dev.sluice.connector.postgres.SourceServer;
import dev.sluice.connector.postgres.load.DefinitionReader;
import dev.sluice.connector.postgres.load.SourceErrors;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * Begins to make the constraints and triggers of tables to which nothing more comes: as the source
 * has them at this moment, since none of them is followed while changes are. Stateless.
 */
public final class ConstraintCompletion {
  private static final Set<Kind> KINDS =
      EnumSet.of(Kind.CHECK, Kind.FOREIGN_KEY, Kind.TRIGGER, Kind.VALIDATION);

  private ConstraintCompletion() {}

  /**
   * Plans the steps, unless that was done before, and starts them.
   *
   * @param tables names on the source
   * @param targetOf the name that a source's table or sequence has on the target
   */
  public static TableCompletion begin(
      SourceServer source,
      TargetServer target,
      List<TableId> tables,
      UnaryOperator<TableId> targetOf,
      CompletionSettings settings) {
    boolean planned =
        settings.journal().read().stream()
            .anyMatch(step -> step.step().stage() == Stage.CONSTRAINTS);
    if (!planned) {
      settings
          .journal()
          .plan(
              tables.stream().map(targetOf).toList(),
              KINDS,
              read(source, target, tables, targetOf));
    }
    return TableCompletion.ofWhole(target, settings, Stage.CONSTRAINTS);
  }

  private static List<CompletionStep> read(
      SourceServer source,
      TargetServer target,
      List<TableId> tables,
      UnaryOperator<TableId> targetOf) {
    int targetMajorVersion;
    try (TargetConnection connection = target.connect()) {
      targetMajorVersion = connection.majorVersion();
    }
    try (Connection connection = source.connect()) {
      return new DefinitionReader(connection, targetOf, targetMajorVersion).constraints(tables);
    } catch (SQLException e) {
      throw SourceErrors.classify("leave " + source, e);
    }
  }
}
