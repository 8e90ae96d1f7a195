package dev.sluice.target.yugabytedb;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.CompletionStep;
import dev.sluice.connector.api.load.CompletionStep.Kind;
import dev.sluice.connector.api.load.CompletionStep.Stage;
import java.util.List;
import java.util.Optional;

/** A step for what is not made, which only says so. Pure. */
final class LeftOutStep {
  private LeftOutStep() {}

  /**
   * @param name of what is left out, for people
   */
  static CompletionStep of(TableId table, Stage stage, Kind kind, String name, String reason) {
    return CompletionStep.of(table, stage, 0, kind, name, List.of())
        .skippedFor(Optional.of(reason));
  }
}
