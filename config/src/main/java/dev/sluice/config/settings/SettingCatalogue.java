package dev.sluice.config.settings;

import java.util.List;
import java.util.stream.Stream;

/** All settings, in the order of the settings page. */
public final class SettingCatalogue {

  /** The sections in order; the top of the document, with an empty name, is the last. */
  static final List<Section> SECTIONS =
      Stream.concat(
              Stream.of(
                  ChangeProcessingTuning.SECTION,
                  TargetMetadata.SECTION,
                  FullLoadSettings.SECTION,
                  ErrorBehavior.SECTION,
                  ChangeProcessingDdlHandlingPolicy.SECTION,
                  ControlTablesSettings.SECTION,
                  SluiceSettings.SECTION,
                  ImportSettings.SECTION,
                  ValidationSettings.SECTION),
              ForeignSections.ALL.stream())
          .toList();

  public static final List<Setting<?>> ALL =
      SECTIONS.stream().flatMap(section -> section.settings().stream()).toList();

  private static final List<Setting<?>> OF_DMS =
      SECTIONS.stream()
          .filter(section -> section != SluiceSettings.SECTION && section != ImportSettings.SECTION)
          .flatMap(section -> section.settings().stream())
          .toList();

  /** Those that DMS has, with its names, also where they have no effect here. */
  public static List<Setting<?>> ofDms() {
    return OF_DMS;
  }

  private SettingCatalogue() {}
}
