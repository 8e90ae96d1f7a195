package dev.sluice.load;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.CompletionStep;
import dev.sluice.connector.api.load.CompletionStep.Kind;
import dev.sluice.connector.api.load.CompletionStep.Stage;
import dev.sluice.connector.api.load.DefinitionStatement;
import dev.sluice.connector.api.load.SqlDialect;
import dev.sluice.sink.target.TargetDialect;
import java.util.List;
import java.util.Optional;

/**
 * The step that collects a table's statistics, without which the first statements on it get bad
 * plans. Stateless.
 */
public final class AnalysisStep {
  /** After all other steps of the table. */
  private static final int LAST = Integer.MAX_VALUE;

  private AnalysisStep() {}

  /** The step for a table; empty if the target needs none. */
  public static Optional<CompletionStep> of(TargetDialect dialect, TableId table) {
    return dialect
        .load()
        .analyze(table)
        .map(
            statement ->
                CompletionStep.of(
                    table,
                    Stage.TABLE,
                    LAST,
                    Kind.ANALYZE,
                    table.toString(),
                    List.of(
                        new DefinitionStatement(
                            new SqlDialect(dialect.type()),
                            "statistics of " + table,
                            "",
                            statement))));
  }
}
