package dev.sluice.engine.command;

import dev.sluice.config.TaskConfig;
import dev.sluice.config.TaskSettings.EffectiveSetting;
import dev.sluice.engine.task.TaskChecks;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParentCommand;

@Command(
    name = "check",
    description =
        "Reads the task file, looks at source, target and Kafka, and lists every problem with its"
            + " mend; where there is none, every setting with its effect. Changes nothing.",
    mixinStandardHelpOptions = true)
final class CheckCommand implements Callable<Integer> {
  @ParentCommand private SluiceCommand root;

  @Mixin private TaskFileArgument file;

  @Override
  public Integer call() {
    TaskConfig config = file.read();
    TaskChecks.Findings findings = TaskChecks.of(config).findings();
    for (String note : findings.notes()) {
      System.out.println("note: " + note);
    }
    if (!findings.problems().isEmpty()) {
      new FailureReport(System.err, root.debug()).print(findings.problems());
      return ExitCode.BAD_INPUT;
    }
    for (EffectiveSetting setting : config.taskSettings().inEffect()) {
      System.out.println(setting);
    }
    System.out.println("task " + config.task() + " can run: " + findings.summary());
    return ExitCode.DONE;
  }
}
