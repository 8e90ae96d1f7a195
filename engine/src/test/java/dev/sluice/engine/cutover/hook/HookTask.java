package dev.sluice.engine.cutover.hook;

import dev.sluice.config.task.TaskConfig;
import dev.sluice.config.task.TaskFile;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.TaskFolder;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskStepNames;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.task.TaskStep;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A task with hooks, claimed by a daemon, whose notes are on a real target. */
final class HookTask {
  private final TaskContext context;
  private final TaskConfig config;
  private final Checkpoint claimed;

  private HookTask(TaskContext context) {
    this.context = context;
    this.config = context.config();
    this.claimed = context.claim().next();
  }

  /**
   * @param hooks the items of {@code cutover.hooks}, in YAML
   */
  static HookTask of(Path folder, String task, EmbeddedPostgres target, String hooks)
      throws Exception {
    Path file = TaskFolder.of(folder, task, target, target, "postgres", "app").write();
    Files.writeString(file, Files.readString(file) + "cutover:\n  hooks:\n" + hooks.indent(4));
    return claimed(file);
  }

  /** The task of that file, claimed by another daemon. */
  static HookTask claimed(Path file) {
    TaskContext context = TaskContext.of(TaskFile.read(file));
    context.checkpoints().create();
    return new HookTask(context);
  }

  TaskPauseNotes notes() {
    return new TaskPauseNotes(
        context, (step, state, detail) -> context.steps().record(claimed, step, state, detail));
  }

  /** The hooks as a daemon has them that has just started. */
  CutoverHooks hooks() {
    return CutoverHooks.of(config, notes());
  }

  /** The hooks that were ever noted, each with its present state. */
  List<String> noted() {
    return context.steps().all(context.task()).stream()
        .filter(step -> step.step().startsWith(TaskStepNames.HOOK))
        .map(step -> step.step() + ": " + step.state())
        .sorted()
        .toList();
  }

  TaskStep step(String name) {
    return context.steps().read(context.task(), name).orElseThrow();
  }
}
