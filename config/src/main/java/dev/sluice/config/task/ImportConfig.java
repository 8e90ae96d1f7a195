package dev.sluice.config.task;

import dev.sluice.config.settings.FileMapping;
import dev.sluice.config.settings.ImportSettings;
import dev.sluice.config.settings.TaskSettings;
import java.nio.file.Path;
import java.util.List;

/**
 * What a task file says of an import, checked. Immutable; prints no secret.
 *
 * @param dataDir where the import keeps its lock, absolute
 * @param mappings which files go into which tables; other files go by their names
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

  public ImportSettings settings() {
    return taskSettings.importSettings();
  }
}
