package dev.sluice.engine.validate.continuous;

import dev.sluice.config.settings.DataSize;
import dev.sluice.config.settings.ValidationSettings;
import dev.sluice.connector.api.comparison.SourceView;
import dev.sluice.connector.api.source.VisibleTransactions;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.touched.TouchedKeys;
import dev.sluice.sink.touched.TouchedLimits;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;

/** Starts the validation of a replication. Stateless. */
public final class ValidationStart {
  private static final Duration SNAPSHOT_LIFE = Duration.ofSeconds(3);

  private ValidationStart() {}

  /**
   * The record of touched rows, to be fed from the first applied change on; empty if the task does
   * not validate. Called after the checkpoint was claimed.
   */
  public static Optional<TouchedKeys> touchedKeys(TaskContext context) {
    if (!context.config().taskSettings().get(ValidationSettings.ENABLE_VALIDATION)) {
      return Optional.empty();
    }
    try (SourceView view = context.source().comparison().open(SNAPSHOT_LIFE)) {
      long next = VisibleTransactions.parse(view.visibleTransactions()).next();
      return Optional.of(
          new TouchedKeys(
              next, TouchedLimits.of(DataSize.ofBytes(Runtime.getRuntime().maxMemory()))));
    }
  }

  /**
   * Starts the sessions.
   *
   * @param touched fed by the lanes
   */
  public static ContinuousValidation start(
      TaskContext context,
      Checkpoint claimed,
      TouchedKeys touched,
      ContinuousValidation.Applied applied,
      Clock clock) {
    ContinuousValidation validation =
        new ContinuousValidation(
            context, claimed, touched, applied, new LaneSessions(context), clock);
    validation.start();
    return validation;
  }
}
