package dev.sluice.config.task;

/**
 * The source database, and what Sluice may do there. Each {@link SourceType} has a class of its own
 * with the keys that it read, which only its connector knows. Immutable, equal if all keys are; it
 * prints no secret.
 */
public interface SourceConfig {

  Endpoint endpoint();
}
