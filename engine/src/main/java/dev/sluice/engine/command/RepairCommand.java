package dev.sluice.engine.command;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "repair",
    description = {
      "Repairs the rows that the validation has listed as different: makes them on the target as"
          + " they are on the source, while the task runs. Nothing newer is overwritten: rows that"
          + " change meanwhile are left for another attempt. The repaired rows stay in"
          + " sluice_validation_failures_v2, with both images; the next session compares them"
          + " again.",
      "Returns 1 if rows are left."
    },
    mixinStandardHelpOptions = true)
final class RepairCommand implements Callable<Integer> {
  /** A repair of a missing row searches the complete table. */
  private static final Duration ANSWER = Duration.ofHours(1);

  @Mixin private TaskFileArgument file;

  @Parameters(
      index = "1..*",
      arity = "0..*",
      paramLabel = "SCHEMA.TABLE",
      description = "A table by its name on the source. Without any, all tables.")
  private List<String> tables = new ArrayList<>();

  @Option(
      names = "--delete-extra",
      description = "Also deletes listed rows that only the target has. Without it they are left.")
  private boolean deleteExtra;

  @Override
  public Integer call() {
    String query = TableCommand.query(TableCommand.parsed(tables));
    DaemonClient.Answer answer =
        new DaemonClient(file.readHome())
            .post(
                "/repair",
                deleteExtra ? query + (query.isEmpty() ? "" : "&") + "delete-extra=true" : query,
                ANSWER);
    answer.print(answer.success() ? System.out : System.err);
    return answer.success() ? ExitCode.DONE : ExitCode.FAILED;
  }
}
