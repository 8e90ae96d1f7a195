package dev.sluice.connect;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connect.settings.ConnectorChecks;
import dev.sluice.connect.settings.ConnectorSettings;
import dev.sluice.connect.settings.FieldProblems;
import dev.sluice.connect.settings.SettingsReader;
import dev.sluice.connect.settings.SinkConnectorProperties;
import dev.sluice.connect.start.AlteredOffsets;
import dev.sluice.connect.version.PluginVersion;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.Config;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigValue;
import org.apache.kafka.connect.connector.Task;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.sink.SinkConnector;

/**
 * The sink as a Kafka Connect connector. The worker calls it from one thread at a time; {@link
 * #validate} and {@link #alterOffsets} may be called on an instance that is never started.
 */
public final class SluiceSinkConnector extends SinkConnector {
  private Map<String, String> properties = Map.of();

  @Override
  public String version() {
    return PluginVersion.text();
  }

  @Override
  public ConfigDef config() {
    return SinkConnectorProperties.definition();
  }

  @Override
  public Class<? extends Task> taskClass() {
    return SluiceSinkTask.class;
  }

  @Override
  public void start(Map<String, String> given) {
    try {
      ConnectorSettings.of(given).targetServer();
    } catch (SluiceException e) {
      throw new ConnectException(e.getMessage(), e);
    }
    properties = Map.copyOf(given);
  }

  @Override
  public List<Map<String, String>> taskConfigs(int maxTasks) {
    if (maxTasks == 1) {
      return List.of(properties);
    }
    List<Map<String, String>> tasks = new ArrayList<>();
    for (int number = 1; number <= maxTasks; number++) {
      Map<String, String> task = new HashMap<>(properties);
      task.put(SinkConnectorProperties.TASK_NUMBER, Integer.toString(number));
      tasks.add(task);
    }
    return tasks;
  }

  @Override
  public void stop() {}

  /**
   * Checks the values, then checks the target and Kafka with them. Each problem is reported at the
   * property that has to be fixed.
   */
  @Override
  public Config validate(Map<String, String> given) {
    Config config = super.validate(given);
    FieldProblems problems = new FieldProblems();
    boolean sound =
        config.configValues().stream().allMatch(value -> value.errorMessages().isEmpty());
    Optional<ConnectorSettings> settings = SettingsReader.read(given, problems);
    if (sound && settings.isPresent()) {
      ConnectorChecks.check(settings.get(), problems);
    }
    return with(config, problems);
  }

  /**
   * Moves the target's checkpoint, from which reading starts. Without an offset it deletes the
   * checkpoint, so that the next start is a first start.
   */
  @Override
  public boolean alterOffsets(Map<String, String> given, Map<TopicPartition, Long> offsets) {
    try {
      new AlteredOffsets(ConnectorSettings.of(given)).alter(offsets);
    } catch (SluiceException e) {
      throw new ConnectException(e.getMessage(), e);
    }
    return true;
  }

  private static Config with(Config config, FieldProblems problems) {
    List<ConfigValue> values = new ArrayList<>(config.configValues());
    problems
        .byProperty()
        .forEach(
            (property, found) -> {
              ConfigValue value =
                  values.stream()
                      .filter(known -> known.name().equals(property))
                      .findFirst()
                      .orElseGet(
                          () -> {
                            ConfigValue added = new ConfigValue(property);
                            values.add(added);
                            return added;
                          });
              // A value of the wrong type is reported only once.
              if (value.errorMessages().isEmpty()) {
                found.stream().map(Problem::toString).forEach(value::addErrorMessage);
              }
            });
    return new Config(values);
  }
}
