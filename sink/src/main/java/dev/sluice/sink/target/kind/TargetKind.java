package dev.sluice.sink.target.kind;

import dev.sluice.config.task.TargetType;
import dev.sluice.sink.target.TargetDialect;

/**
 * A type of target with its dialect. Each implementation of a target has one, and names the class
 * in {@code META-INF/services} as a {@link TargetType}: {@link TargetServers} finds it there.
 * Immutable.
 */
public interface TargetKind extends TargetType {

  TargetDialect dialect();
}
