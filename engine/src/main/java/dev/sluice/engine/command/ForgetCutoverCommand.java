package dev.sluice.engine.command;

import dev.sluice.config.ImportConfig;
import dev.sluice.config.TaskFile;
import dev.sluice.engine.task.CutoverMemory;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "forget-cutover",
    description = {
      "Lets tasks load again into tables of the target that a cutover has handed over to the"
          + " applications. Only for a target that no application uses any more.",
      "It deletes the record of the cutover and nothing else: a load still refuses tables that hold"
          + " rows, unless the task file says overwrite-target-rows: true."
    },
    mixinStandardHelpOptions = true)
final class ForgetCutoverCommand implements Callable<Integer> {
  @Parameters(index = "0", paramLabel = "TASK.yaml", description = "The task file.")
  private Path file;

  @Option(
      names = "--task",
      paramLabel = "NAME",
      description = "The task that was cut over, where it is another than that of the file.")
  private String task;

  @Override
  public Integer call() {
    // It needs the target alone, as an import does.
    ImportConfig config = TaskFile.readImport(file);
    String cutOver = task == null ? config.task().text() : task;
    List<String> forgotten = CutoverMemory.forget(config.target(), cutOver);
    if (forgotten.isEmpty()) {
      System.err.printf("sluice: %s remembers no cutover of task %s%n", config.target(), cutOver);
      return ExitCode.FAILED;
    }
    forgotten.forEach(System.out::println);
    return ExitCode.DONE;
  }
}
