package dev.sluice.engine.monitor;

import dev.sluice.config.document.Problem;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.config.task.RunningSettings;
import dev.sluice.engine.context.LiveSettings;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.status.SettingsStatus;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** The part of a status page about the settings in effect. Stateless. */
final class SettingsReport {
  private SettingsReport() {}

  static SettingsStatus of(TaskContext context) {
    LiveSettings.Snapshot settings = context.live().snapshot();
    return new SettingsStatus(
        inEffect(context, settings),
        settings.running().batchApply().shown(),
        settings.changes().stream().map(SettingsReport::change).toList(),
        settings.problems().stream().map(Problem::toString).toList(),
        settings.running().waitingForRestart());
  }

  private static Map<String, SettingsStatus.Setting> inEffect(
      TaskContext context, LiveSettings.Snapshot settings) {
    Set<String> live = Set.copyOf(RunningSettings.live());
    Map<String, SettingsStatus.Setting> inEffect = new LinkedHashMap<>();
    for (TaskSettings.EffectiveSetting setting :
        context.config().inEffect(settings.running().inEffect())) {
      if (setting.effect().equals("in effect")) {
        inEffect.put(
            setting.path(),
            new SettingsStatus.Setting(
                setting.value(),
                settings.running().originOf(setting.path()).toString(),
                live.contains(setting.path()),
                settings.sink().loweredByHeap(setting.path()).orElse(null)));
      }
    }
    return inEffect;
  }

  private static SettingsStatus.Change change(LiveSettings.Change change) {
    return new SettingsStatus.Change(
        change.at(),
        change.origin().toString(),
        change.change().path(),
        change.change().before(),
        change.change().after());
  }
}
