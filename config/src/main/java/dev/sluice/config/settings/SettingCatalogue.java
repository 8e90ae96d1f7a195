package dev.sluice.config.settings;

import java.util.List;
import java.util.stream.Stream;

/** All settings, in the order of the settings page. */
public final class SettingCatalogue {

  public static final List<Setting> ALL =
      Stream.of(
              ChangeProcessingTuning.SETTINGS,
              TargetMetadata.SETTINGS,
              FullLoadSettings.SETTINGS,
              ErrorBehavior.SETTINGS,
              ChangeProcessingDdlHandlingPolicy.SETTINGS,
              ControlTablesSettings.SETTINGS,
              SluiceSettings.SETTINGS,
              ImportSettings.SETTINGS,
              ForeignSections.SETTINGS)
          .flatMap(List::stream)
          .toList();

  /** The sections in order; the top of the document, with an empty name, is the last. */
  static final List<String> SECTIONS = ALL.stream().map(Setting::section).distinct().toList();

  private SettingCatalogue() {}

  static List<Setting> of(String section) {
    return ALL.stream().filter(setting -> setting.section().equals(section)).toList();
  }
}
