package dev.sluice.config.task;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Commands of the user, run at the steps of a cutover. Immutable.
 *
 * @param folder the task file's folder, absolute: the commands' working directory
 * @param pause run before writers are stopped; empty: none
 * @param switchOver run after the decision, to point the applications at the target; empty: none
 * @param resume run after every pause, also if the cutover is given up; empty: none
 */
public record ExecHookConfig(
    String name,
    Path folder,
    List<String> pause,
    List<String> switchOver,
    List<String> resume,
    Duration timeout)
    implements HookConfig {

  public ExecHookConfig {
    pause = List.copyOf(pause);
    switchOver = List.copyOf(switchOver);
    resume = List.copyOf(resume);
  }
}
