package dev.sluice.target.yugabytedb;

import dev.sluice.config.settings.FullLoadSettings;
import dev.sluice.config.settings.Setting;
import dev.sluice.config.task.UrlForm;
import dev.sluice.sink.target.TargetDialect;
import dev.sluice.sink.target.kind.TargetKind;
import dev.sluice.target.yugabytedb.cluster.ClusterUrl;
import dev.sluice.target.yugabytedb.cluster.LoadWorkers;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * YugabyteDB as a type of target. Its url has the options of PostgreSQL's driver, and those that
 * YugabyteDB's driver has for the servers of a cluster. Immutable.
 */
public final class YugabyteTarget implements TargetKind {
  private static final UrlForm URL =
      new UrlForm(
          YugabyteDialect.INSTANCE.type(),
          List.of(),
          5433,
          Stream.concat(ClusterUrl.ownOptions().stream(), UrlForm.POSTGRESQL.options().stream())
              .toList(),
          choices());

  private static Map<String, List<String>> choices() {
    Map<String, List<String>> choices = new HashMap<>(UrlForm.POSTGRESQL.choices());
    choices.put(ClusterUrl.LOAD_BALANCE, List.of("true", "false"));
    choices.put(ClusterUrl.KEYS_ONLY, List.of("true", "false"));
    return choices;
  }

  @Override
  public String name() {
    return YugabyteDialect.INSTANCE.type();
  }

  @Override
  public UrlForm url() {
    return URL;
  }

  @Override
  public Optional<String> insteadOfDefault(Setting<?> setting) {
    return setting == FullLoadSettings.MAX_FULL_LOAD_SUB_TASKS
        ? Optional.of(LoadWorkers.BY_DEFAULT)
        : Optional.empty();
  }

  @Override
  public TargetDialect dialect() {
    return YugabyteDialect.INSTANCE;
  }
}
