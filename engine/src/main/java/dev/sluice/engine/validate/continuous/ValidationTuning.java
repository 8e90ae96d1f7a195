package dev.sluice.engine.validate.continuous;

import dev.sluice.config.settings.RepairPolicy;
import dev.sluice.config.settings.Setting;
import dev.sluice.config.settings.SluiceSettings;
import dev.sluice.config.settings.ValidationSettings;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.validate.schedule.SessionTiming;
import dev.sluice.engine.validate.schedule.TableOrder;
import dev.sluice.engine.validate.session.SessionLimits;
import java.time.Duration;

/** The settings of a validation that are in effect at each call. Threadsafe. */
final class ValidationTuning {
  private static final int NO_PAUSE = 100;

  private final TaskContext context;

  ValidationTuning(TaskContext context) {
    this.context = context;
  }

  TableOrder order() {
    return new TableOrder(Duration.ofHours(live(SluiceSettings.MAX_PROOF_AGE)));
  }

  /**
   * @param awaited whether somebody waits for the sessions
   */
  SessionTiming timing(boolean awaited) {
    return new SessionTiming(
        awaited ? NO_PAUSE : live(SluiceSettings.VALIDATION_DUTY_CYCLE),
        live(SluiceSettings.VALIDATION_LAG_LIMIT));
  }

  /**
   * @param differences of a table after which a session reads no more of it
   * @param awaited whether somebody waits for the sessions
   */
  SessionLimits limits(int differences, boolean awaited) {
    SessionLimits defaults = SessionLimits.DEFAULT;
    return new SessionLimits(
        live(SluiceSettings.VALIDATION_SNAPSHOT_AGE),
        setting(ValidationSettings.PARTITION_SIZE),
        defaults.touchedKeys(),
        differences,
        defaults.keysLeftOut(),
        defaults.checkpointTimeout(),
        awaited ? setting(ValidationSettings.THREAD_COUNT) : 1);
  }

  /** What is repaired automatically. */
  RepairPolicy repairs() {
    return live(SluiceSettings.VALIDATION_REPAIR);
  }

  /** Differing rows of all tables after which nothing more is compared. */
  int mostFailures() {
    return setting(ValidationSettings.FAILURE_MAX_COUNT);
  }

  /** Differing rows of one table after which it is no longer compared. */
  int mostFailuresOfTable() {
    return setting(ValidationSettings.TABLE_FAILURE_MAX_COUNT);
  }

  /** How long a row may keep changing before it counts as suspended. */
  Duration suspendDelay() {
    return Duration.ofMinutes(setting(ValidationSettings.RECORD_SUSPEND_DELAY));
  }

  private <T> T setting(Setting<T> setting) {
    return context.config().taskSettings().get(setting);
  }

  private <T> T live(Setting<T> setting) {
    return context.live().snapshot().running().inEffect().get(setting);
  }
}
