package dev.sluice.config.task;

import dev.sluice.config.settings.FileFormat;
import dev.sluice.config.settings.FileMapping;
import dev.sluice.config.settings.ImportSettings;
import dev.sluice.config.settings.SettingValues;
import dev.sluice.config.settings.TaskSettings;
import java.nio.file.Path;
import java.util.List;

/**
 * The checked configuration of an import, from a task file. Immutable; prints no secret.
 *
 * @param dataDir directory of the import's lock file, absolute
 * @param mappings target tables by file; other files go into the table of their name
 */
public record ImportConfig(
    TaskName task,
    Endpoint target,
    Path dataDir,
    TaskSettings taskSettings,
    List<FileMapping> mappings) {

  public ImportConfig {
    mappings = List.copyOf(mappings);
  }

  /**
   * The format of files.
   *
   * @param own the settings that are other for these files
   * @param otherwise the kind, if no setting says it
   */
  public FileFormat format(SettingValues own, FileFormat.Kind otherwise) {
    return ImportSettings.format(taskSettings.with(own), otherwise);
  }
}
