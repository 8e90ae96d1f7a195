package dev.sluice.config.task;

import dev.sluice.config.settings.Setting;
import java.util.Optional;

/**
 * A type of target database. Each implementation of a target has one, and names the class in {@code
 * META-INF/services}: {@link EndpointTypes} finds it there. Immutable.
 */
public interface TargetType extends EndpointType {

  /**
   * What is in effect, for messages, where the task file does not name a setting; empty if that is
   * its default.
   */
  default Optional<String> insteadOfDefault(Setting<?> setting) {
    return Optional.empty();
  }
}
