package dev.sluice.config.task;

import dev.sluice.config.settings.FileMapping;
import dev.sluice.config.settings.FileMapping.FormatSettings;
import dev.sluice.config.settings.ImportSettings;
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

  /** The format of the files, as far as the settings have it; a mapping's own comes first. */
  public FormatSettings format() {
    return ImportSettings.format(taskSettings);
  }
}
