package dev.sluice.config.task;

import java.util.List;

/**
 * The section {@code cutover} of a task file. Immutable; prints no secret.
 *
 * @param hooks in the order of the file
 */
public record CutoverConfig(List<HookConfig> hooks) {

  /** A cutover without hooks. */
  public static final CutoverConfig NONE = new CutoverConfig(List.of());

  public CutoverConfig {
    hooks = List.copyOf(hooks);
  }
}
