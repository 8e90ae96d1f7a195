package dev.sluice.engine.validate.continuous;

import dev.sluice.config.TableId;
import dev.sluice.config.settings.RepairPolicy;
import dev.sluice.config.settings.Setting;
import dev.sluice.config.settings.SluiceSettings;
import dev.sluice.config.settings.ValidationSettings;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.validate.schedule.SessionTiming;
import dev.sluice.engine.validate.schedule.TableOrder;
import dev.sluice.engine.validate.session.SessionLimits;
import java.time.Duration;

/**
 * The settings of a validation, as they are in effect when they are asked for and as the running
 * pass needs them. Owned by the thread of the validation.
 */
final class ValidationTuning {
  private static final int NO_PAUSE = 100;

  private final TaskContext context;
  private final WantedPasses wanted;

  ValidationTuning(TaskContext context, WantedPasses wanted) {
    this.context = context;
    this.wanted = wanted;
  }

  TableOrder order() {
    return new TableOrder(Duration.ofHours(live(SluiceSettings.MAX_PROOF_AGE)));
  }

  /** When sessions begin; those of a pass follow each other without a pause. */
  SessionTiming timing() {
    return new SessionTiming(
        wanted.isRunning() ? NO_PAUSE : live(SluiceSettings.VALIDATION_DUTY_CYCLE),
        live(SluiceSettings.VALIDATION_LAG_LIMIT));
  }

  /** Of a session that compares. */
  SessionLimits limits() {
    return limits(
        wanted.repairedAtOnce().isPresent() ? DueRepair.MANY : SessionLimits.DEFAULT.differences());
  }

  /** Of a session that reads rows to repair them. */
  SessionLimits repairLimits() {
    return limits(DueRepair.MANY);
  }

  /**
   * @param differences of a table after which a session reads no more of it
   */
  private SessionLimits limits(int differences) {
    SessionLimits defaults = SessionLimits.DEFAULT;
    Duration life = live(SluiceSettings.VALIDATION_SNAPSHOT_AGE);
    return new SessionLimits(
        life,
        setting(ValidationSettings.PARTITION_SIZE),
        defaults.touchedKeys(),
        differences,
        defaults.keysLeftOut(),
        SessionLimits.checkpointTimeout(life),
        wanted.isRunning() ? setting(ValidationSettings.THREAD_COUNT) : 1);
  }

  /** What is repaired automatically. */
  RepairPolicy repairs() {
    return live(SluiceSettings.VALIDATION_REPAIR);
  }

  /** Differing rows of all tables after which nothing more is compared. */
  int mostFailures() {
    return setting(ValidationSettings.FAILURE_MAX_COUNT);
  }

  /**
   * Differing rows of a table after which it is no longer compared. A table that is repaired at
   * once is compared however much of it differs.
   */
  int mostFailures(TableId table) {
    return wanted.repairedAtOnce().filter(scope -> scope.has(table)).isPresent()
        ? Integer.MAX_VALUE
        : setting(ValidationSettings.TABLE_FAILURE_MAX_COUNT);
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
