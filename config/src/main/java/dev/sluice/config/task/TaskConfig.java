package dev.sluice.config.task;

import dev.sluice.config.mappings.TableMappings;
import dev.sluice.config.settings.TaskSettings;
import java.nio.file.Path;
import java.util.Optional;

/**
 * All that the user says of a task, checked. Immutable; prints no secret.
 *
 * @param kafka the user's cluster; empty: one broker inside the daemon
 * @param dataDir where the daemon keeps its files, absolute
 * @param cdcStartPosition for {@code cdc} only: where to begin in the source's log, an LSN such as
 *     {@code 4AF/B00000D0}; empty: at the slot's position, or now
 * @param overwriteTargetRows whether a load may drop or empty target tables that hold rows of
 *     others
 * @param runsSourceCode whether a load that makes tables may make the target run what the source's
 *     users chose
 * @param files what it was read from
 */
public record TaskConfig(
    TaskName task,
    MigrationType migrationType,
    SourceConfig source,
    Endpoint target,
    Optional<KafkaProperties> kafka,
    Path dataDir,
    HttpAddress http,
    Optional<String> cdcStartPosition,
    TableMappings tableMappings,
    TaskSettings taskSettings,
    boolean overwriteTargetRows,
    boolean runsSourceCode,
    TaskFiles files) {

  /** Where the task's daemon is found. */
  public TaskHome home() {
    return new TaskHome(task, dataDir);
  }
}
