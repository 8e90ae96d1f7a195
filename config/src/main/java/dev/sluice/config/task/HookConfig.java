package dev.sluice.config.task;

import java.time.Duration;

/** A hook of the cutover, as the task file has it. Immutable; prints no secret. */
public sealed interface HookConfig permits PgbouncerHookConfig, ExecHookConfig {

  /** The hook's name, unique in the task. */
  String name();

  /** The longest time for one of its steps. */
  Duration timeout();
}
