package dev.sluice.config.task;

import dev.sluice.config.mappings.TableMappings;
import dev.sluice.config.settings.TaskSettings;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The complete, checked configuration of a task. Immutable; prints no secret.
 *
 * @param kafka the user's cluster; empty: an embedded broker in the daemon
 * @param dataDir directory of the daemon's files, absolute
 * @param httpOrigins where browsers reach the page through a proxy with TLS
 * @param cdcStart for {@code cdc} only: where in the source's log the task starts; empty: at the
 *     position of the log which the source keeps for the task, or at the present one
 * @param cdcStop where the task stops by itself; empty: nowhere
 * @param overwriteTargetRows whether a load may drop or truncate target tables with rows that
 *     Sluice did not write
 * @param runsSourceCode whether a load that creates tables may create code of the source's users
 *     that runs on the target
 * @param cutover the hooks of a cutover
 * @param fallback the way back that is armed before a cutover; empty: there is none
 * @param forward of the task of a way back only: the task whose way back it is
 * @param files the files it was read from
 */
public record TaskConfig(
    TaskName task,
    MigrationType migrationType,
    SourceConfig source,
    Endpoint target,
    Optional<KafkaProperties> kafka,
    Path dataDir,
    HttpAddress http,
    List<ExternalOrigin> httpOrigins,
    Optional<CdcStart> cdcStart,
    Optional<CdcStop> cdcStop,
    TableMappings tableMappings,
    TaskSettings taskSettings,
    boolean overwriteTargetRows,
    boolean runsSourceCode,
    CutoverConfig cutover,
    Optional<FallbackConfig> fallback,
    Optional<TaskConfig> forward,
    TaskFiles files) {
  public TaskConfig {
    httpOrigins = List.copyOf(httpOrigins);
  }

  /** The task's name and directory, by which its daemon is found. */
  public TaskHome home() {
    return new TaskHome(task, dataDir);
  }

  /** What is in effect, for messages, of settings; some defaults are others for its target. */
  public List<TaskSettings.EffectiveSetting> inEffect(TaskSettings settings) {
    Optional<TargetType> type = EndpointTypes.targets().named(target.type());
    return settings.inEffect(setting -> type.flatMap(known -> known.insteadOfDefault(setting)));
  }

  /** The same task, which stops elsewhere. */
  public TaskConfig stoppingAt(CdcStop stop) {
    return new TaskConfig(
        task,
        migrationType,
        source,
        target,
        kafka,
        dataDir,
        http,
        httpOrigins,
        cdcStart,
        Optional.of(stop),
        tableMappings,
        taskSettings,
        overwriteTargetRows,
        runsSourceCode,
        cutover,
        fallback,
        forward,
        files);
  }

  /** The task of the way back; {@code fallback} is present. */
  public TaskConfig reversed() {
    return ReversedTask.of(this);
  }
}
