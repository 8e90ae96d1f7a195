package dev.sluice.engine.command;

import dev.sluice.config.document.Problem;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.engine.check.MachineChecks;
import dev.sluice.engine.check.TaskChecks;
import dev.sluice.engine.daemon.ValidationOnlyTask;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

@Command(
    name = "check",
    description =
        "Reads the task file, checks source, target and Kafka, and lists every problem with its"
            + " fix, and then notes. Changes nothing.",
    mixinStandardHelpOptions = true)
final class CheckCommand implements Callable<Integer> {
  @ParentCommand private SluiceCommand root;

  @Mixin private TaskFileArgument file;

  @Option(
      names = {"-v", "--verbose"},
      description = "Also list every task setting with its value and effect.")
  private boolean verbose;

  @Override
  public Integer call() {
    TaskConfig config = file.read();
    boolean compares = ValidationOnlyRun.isWantedBy(config);
    TaskChecks.Findings findings =
        compares ? ValidationOnlyTask.of(config).check() : TaskChecks.of(config).findings();
    List<Problem> problems = new ArrayList<>(findings.problems());
    // A comparison opens no port.
    problems.addAll(compares ? MachineChecks.ofDirectory(config) : MachineChecks.problems(config));

    if (problems.isEmpty()) {
      System.out.println("task " + config.task() + " can run: " + findings.summary());
    } else {
      new FailureReport(System.err, root.debug()).print(problems);
    }
    for (String note : findings.notes()) {
      System.out.println("note: " + note);
    }
    if (verbose) {
      config.inEffect(config.taskSettings()).forEach(System.out::println);
    }
    return problems.isEmpty() ? ExitCode.DONE : ExitCode.BAD_INPUT;
  }
}
