package dev.sluice.engine.cutover.hook;

import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.ExecHookConfig;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Runs commands of the user at the steps of a cutover. */
final class ExecHook implements CutoverHook {
  private final ExecHookConfig config;
  private final String task;
  private final Endpoint target;

  ExecHook(ExecHookConfig config, String task, Endpoint target) {
    this.config = config;
    this.task = task;
    this.target = target;
  }

  @Override
  public String name() {
    return config.name();
  }

  @Override
  public Duration timeout() {
    return config.timeout();
  }

  @Override
  public Optional<String> byHand() {
    if (!config.resume().isEmpty()) {
      return Optional.of("run " + String.join(" ", config.resume()));
    }
    return config.pause().isEmpty()
        ? Optional.empty()
        : Optional.of("undo " + String.join(" ", config.pause()));
  }

  /** Looks for the programs, and runs none. */
  @Override
  public List<String> check(Duration longestPause, Duration timeout) throws HookFailure {
    List<String> missing = new ArrayList<>();
    for (List<String> command : List.of(config.pause(), config.switchOver(), config.resume())) {
      if (!command.isEmpty() && !isExecutable(command.get(0))) {
        missing.add(command.get(0));
      }
    }
    if (!missing.isEmpty()) {
      throw new HookFailure(
          "no executable file: " + String.join(", ", missing),
          "programs on the PATH of the daemon, or relative to the task file's folder",
          "Correct the names, or allow the daemon's user to execute them",
          List.of());
    }
    return List.of();
  }

  @Override
  public List<String> pause(HookCall call) throws HookFailure, InterruptedException {
    return run(HookAction.PAUSE, config.pause(), call);
  }

  @Override
  public List<String> switchOver(HookCall call) throws HookFailure, InterruptedException {
    return run(HookAction.SWITCH, config.switchOver(), call);
  }

  @Override
  public List<String> resume(HookCall call) throws HookFailure, InterruptedException {
    return run(HookAction.RESUME, config.resume(), call);
  }

  private List<String> run(HookAction action, List<String> command, HookCall call)
      throws HookFailure, InterruptedException {
    if (command.isEmpty()) {
      return List.of();
    }
    List<String> resolved = new ArrayList<>(command);
    resolved.set(0, resolved(command.get(0)));
    return HookProcess.run(resolved, config.folder(), variables(action, call), call.timeout());
  }

  private Map<String, String> variables(HookAction action, HookCall call) {
    Map<String, String> variables = new TreeMap<>();
    variables.put("SLUICE_TASK", task);
    variables.put("SLUICE_HOOK", name());
    variables.put("SLUICE_STEP", action.text());
    variables.put("SLUICE_CUTOVER_ID", call.cutover());
    variables.put("SLUICE_TARGET_HOST", target.host());
    variables.put("SLUICE_TARGET_PORT", Integer.toString(target.port()));
    variables.put("SLUICE_TARGET_DATABASE", target.database());
    call.outcome().ifPresent(outcome -> variables.put("SLUICE_OUTCOME", outcome.text()));
    return variables;
  }

  /** A name with a folder is relative to the task file. */
  private String resolved(String program) {
    return program.contains("/") ? config.folder().resolve(program).toString() : program;
  }

  private boolean isExecutable(String program) {
    if (program.contains("/")) {
      return isExecutable(Path.of(resolved(program)));
    }
    return Arrays.stream(
            Optional.ofNullable(System.getenv("PATH")).orElse("").split(File.pathSeparator))
        .anyMatch(folder -> isExecutable(Path.of(folder, program)));
  }

  private static boolean isExecutable(Path file) {
    return Files.isRegularFile(file) && Files.isExecutable(file);
  }
}
