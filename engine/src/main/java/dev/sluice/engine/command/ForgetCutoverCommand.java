package dev.sluice.engine.command;

import dev.sluice.config.TableId;
import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.ImportConfig;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.config.task.TaskFile;
import dev.sluice.engine.context.CutoverMemory;
import java.io.Console;
import java.nio.file.Path;
import java.time.Instant;
import java.util.SortedMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "forget-cutover",
    description = {
      "Lets tasks load again into tables of the target that a cutover has passed to the"
          + " applications. Only for a target that no application uses any more.",
      "It deletes the record of the cutover and nothing else: a load still refuses tables that hold"
          + " rows, unless the task file says overwrite-target-rows: true.",
      "It shows the target, the tables and when they were cut over, and asks before it deletes the"
          + " record."
    },
    mixinStandardHelpOptions = true)
final class ForgetCutoverCommand implements Callable<Integer> {
  @Parameters(index = "0", paramLabel = "TASK.yaml", description = "The task file.")
  private Path file;

  @Option(
      names = "--fallback",
      description =
          "Forget the fallback instead: its record is on the old source, which the file's section"
              + " fallback names. Needed before another cutover with a way back.")
  private boolean back;

  @Option(
      names = "--task",
      paramLabel = "NAME",
      description = "The task that was cut over, if it is not the task of the file.")
  private String task;

  @Option(names = "--yes", description = "Do not ask.")
  private boolean agreed;

  @Override
  public Integer call() {
    if (back) {
      TaskConfig config = TaskFile.readFallback(file);
      return forget(config.target(), config.task().text());
    }
    // Like an import, it needs only the target.
    ImportConfig config = TaskFile.readImport(file);
    return forget(config.target(), config.task().text());
  }

  private int forget(Endpoint from, String ofFile) {
    String cutOver = task == null ? ofFile : task;
    SortedMap<TableId, Instant> tables = CutoverMemory.of(from, cutOver);
    if (tables.isEmpty()) {
      System.err.printf("sluice: %s has no record of a cutover of task %s%n", from, cutOver);
      return ExitCode.FAILED;
    }
    System.out.printf(
        "%s has the record of a cutover of task %s: applications may have written to %s since%n",
        from, cutOver, tables.size() == 1 ? "this table" : "these tables");
    tables.forEach((table, at) -> System.out.printf("  %s: cut over at %s%n", table, at));
    if (!agreed && !isAgreedTo()) {
      System.err.printf(
          "sluice: nothing is forgotten. Where no application uses the target any more, say --yes:"
              + " sluice forget-cutover %s%s --task %s --yes%n",
          file, back ? " --fallback" : "", cutOver);
      return ExitCode.BAD_INPUT;
    }
    for (TableId table : CutoverMemory.forget(from, cutOver, tables.keySet())) {
      System.out.printf("%s: forgotten; its rows are as they were%n", table);
    }
    return ExitCode.DONE;
  }

  /** Asks the user at a terminal; false without a terminal. */
  private static boolean isAgreedTo() {
    Console console = System.console();
    return console != null
        && "yes"
            .equals(
                console.readLine(
                    "Forget that? No row is deleted, but a later load may drop or empty these"
                        + " tables. Type yes: "));
  }
}
