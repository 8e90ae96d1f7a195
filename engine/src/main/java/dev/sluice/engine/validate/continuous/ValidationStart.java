package dev.sluice.engine.validate.continuous;

import dev.sluice.config.settings.DataSize;
import dev.sluice.connector.api.comparison.SourceView;
import dev.sluice.connector.api.source.VisibleTransactions;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.touched.TouchedKeys;
import dev.sluice.sink.touched.TouchedLimits;
import java.time.Clock;
import java.time.Duration;

/** Starts the validation of a replication. Stateless. */
public final class ValidationStart {
  private static final Duration SNAPSHOT_LIFE = Duration.ofSeconds(3);

  private ValidationStart() {}

  /**
   * The record of touched rows. It is to be fed with every change that is decoded after this call
   * has begun; the checkpoint is claimed before.
   */
  static TouchedKeys touchedKeys(TaskContext context) {
    try (SourceView view = context.source().comparison().open(SNAPSHOT_LIFE)) {
      long next = VisibleTransactions.parse(view.visibleTransactions()).next();
      return new TouchedKeys(
          next, TouchedLimits.of(DataSize.ofBytes(Runtime.getRuntime().maxMemory())));
    }
  }

  /**
   * Starts the sessions.
   *
   * @param touched fed by the lanes
   */
  static ContinuousValidation start(
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

  /** The same, without sessions until somebody asks for a pass. */
  static ContinuousValidation onDemand(
      TaskContext context,
      Checkpoint claimed,
      TouchedKeys touched,
      ContinuousValidation.Applied applied,
      Clock clock) {
    ContinuousValidation validation =
        new ContinuousValidation(
            context, claimed, touched, applied, new LaneSessions(context), clock);
    validation.onlyOnDemand();
    validation.start();
    return validation;
  }
}
