package dev.sluice.config.task;

import java.util.Optional;

/**
 * The source database, and what Sluice may do there. Each {@link SourceType} has a class of its own
 * with the keys that it read, which only its connector knows. Immutable, equal if all keys are; it
 * prints no secret.
 */
public interface SourceConfig {

  Endpoint endpoint();

  /** What is wrong if the task file does not name where the task starts; empty if it need not. */
  default Optional<SourceType.WrongPosition> problemWithoutStart() {
    return Optional.empty();
  }
}
