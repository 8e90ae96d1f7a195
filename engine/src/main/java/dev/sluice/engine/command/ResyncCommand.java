package dev.sluice.engine.command;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.engine.context.Sources;
import dev.sluice.engine.context.TaskLock;
import dev.sluice.engine.daemon.ResyncRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "resync",
    description = {
      "Makes the target equal to the source again without loading it: after a lost slot, a lost"
          + " journal, a failover, a source or target that was restored, or for tables that another"
          + " tool has filled.",
      "With tables: the running daemon compares them and overwrites on the target what differs."
          + " The other tables go on as before.",
      "Without tables: only for a task whose daemon does not run. The next sluice run begins at a new position of"
          + " the source's log, compares every row while it applies changes, and overwrites on the"
          + " target what differs. It ends when every row of every table is proven equal. Until"
          + " then sluice wait and sluice cutover refuse.",
      "What is overwritten or deleted stays in sluice_validation_failures_v2, with both images.",
      "Returns 0 if it is requested, or every row of the tables is proven equal, 1 if rows differ,"
          + " 6 if rows kept changing, or a table cannot be compared."
    },
    mixinStandardHelpOptions = true)
final class ResyncCommand implements Callable<Integer> {
  @Mixin private TaskFileArgument file;

  @Parameters(
      index = "1..*",
      arity = "0..*",
      paramLabel = "SCHEMA.TABLE",
      description = "A table by its name on the source. Without any, the whole task.")
  private List<String> tables = new ArrayList<>();

  @Option(
      names = "--delete-extra",
      description =
          "Also delete rows that only the target has. Without it such rows are left, and the resync"
              + " does not end while there are any.")
  private boolean deleteExtra;

  @Option(
      names = "--cancel",
      description = "Take back a request that no start of the daemon has acted on.")
  private boolean cancel;

  @Override
  public Integer call() throws InterruptedException {
    return tables.isEmpty() ? ofTask() : ofTables(TableCommand.parsed(tables));
  }

  private int ofTables(List<TableId> names) throws InterruptedException {
    if (cancel) {
      throw new SluiceException.Fatal(
          new Problem(
              "--cancel",
              "tables are named: " + tables,
              "no tables: it takes back a request for the whole task",
              "Leave the tables out"));
    }
    DaemonClient.Answer answer =
        WatchedPass.post(
            new DaemonClient(file.readHome()),
            "/resync",
            TableCommand.query(names) + (deleteExtra ? "&delete-extra=true" : ""));
    answer.print(answer.success() ? System.out : System.err);
    return WatchedPass.exitCode(answer);
  }

  private int ofTask() {
    TaskConfig config = file.readReplicating();
    if (!cancel) {
      Sources.requireCorrectable(config);
    }
    ResyncRequest request = ResyncRequest.of(config);
    try (TaskLock lock = TaskLock.take(config.task().text(), config.dataDir())) {
      if (cancel) {
        System.out.println(
            request.cancel(lock)
                ? "the resync is cancelled: the next sluice run continues as before"
                : "no resync is requested");
        return ExitCode.DONE;
      }
      request.make(lock, deleteExtra);
    }
    System.out.printf(
        "the resync of task %s is requested: the next sluice run compares every row, and overwrites"
            + " on %s what differs from %s; rows that only the target has are %s%n",
        config.task(),
        config.target(),
        config.source().endpoint(),
        deleteExtra ? "deleted" : "left");
    return ExitCode.DONE;
  }
}
