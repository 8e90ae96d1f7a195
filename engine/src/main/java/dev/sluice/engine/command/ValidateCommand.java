package dev.sluice.engine.command;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.engine.context.Sources;
import dev.sluice.engine.validate.only.OnlyResult;
import dev.sluice.engine.validate.only.TaskValidation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "validate",
    description = {
      "Compares tables on both sides, and prints a line for each.",
      "If the task runs, its daemon compares them exactly while changes are applied: each row is"
          + " proven equal after the moment of the command, and rows that change meanwhile are"
          + " compared again. Rows that differ are listed in sluice_validation_failures_v2.",
      "If it does not run, or is cut over, both sides are read as they are, and rows that differ"
          + " are looked up once more. No list is kept of them.",
      "Returns 0 if every row of every table is proven equal, 1 if rows differ, 5 if the tables are"
          + " equal but some selected tables or changes are not replicated, 6 if there is no"
          + " result: rows kept changing, or a table cannot be compared."
    },
    mixinStandardHelpOptions = true)
final class ValidateCommand implements Callable<Integer> {
  @Mixin private TaskFileArgument file;

  @Parameters(
      index = "1..*",
      arity = "0..*",
      paramLabel = "SCHEMA.TABLE",
      description = "A table by its name on the source. Without any, all tables.")
  private List<String> tables = new ArrayList<>();

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      defaultValue = "60",
      description =
          "How long to wait at first for the running task to catch up (default:"
              + " ${DEFAULT-VALUE}).")
  private double seconds;

  @Option(
      names = "--record",
      paramLabel = "FILE",
      description =
          "Also write the record of the comparison: what was read, and the statements by which"
              + " anyone can read it again with psql while both sides stand still. Only while the"
              + " task runs, or after its cutover.")
  private Path record;

  @Override
  public Integer call() throws InterruptedException {
    List<TableId> names = TableCommand.parsed(tables);
    TaskConfig config = file.read();
    Sources.requireComparable(config);
    if (ValidationOnlyRun.isWantedBy(config)) {
      refuseRecord("the task has ValidationOnly, so no daemon", "Leave it out");
      if (!names.isEmpty()) {
        throw new SluiceException.Fatal(
            new Problem(
                "tables " + tables,
                "the task has ValidationOnly, which compares what its rules select",
                "no table in the command",
                "Leave them out"));
      }
      return ValidationOnlyRun.run(config);
    }
    DaemonClient daemon = new DaemonClient(config.home());
    String phase = daemon.isRunning() ? daemon.status().status().phase() : "";
    if (phase.isEmpty() || phase.equals("cut-over")) {
      if (phase.isEmpty()) {
        refuseRecord("the task does not run", "Start it: sluice run TASK.yaml");
      }
      System.out.println(
          phase.isEmpty()
              ? "the task does not run: changes that it has not applied show as differences"
              : "the task is cut over: rows written to the target since then show as differences");
      return compare(config, names);
    }
    if (record == null) {
      return pass(daemon, names, Optional.empty());
    }
    try (RecordTarget target = RecordTarget.of(record)) {
      return pass(daemon, names, Optional.of(target));
    }
  }

  /** While changes are missing on the target, a record would show nothing but that. */
  private void refuseRecord(String found, String fix) {
    if (record != null) {
      throw new SluiceException.Fatal(
          new Problem(
              "--record " + record, found, "a task that applies changes, or is cut over", fix));
    }
  }

  /** This process reads both sides, as they are. */
  private int compare(TaskConfig config, List<TableId> names) throws InterruptedException {
    TaskValidation validation = TaskValidation.of(config);
    if (record == null) {
      return print(validation.compare(names));
    }
    try (RecordTarget target = RecordTarget.of(record)) {
      AtomicReference<OnlyResult> result = new AtomicReference<>();
      target.receive(
          file -> {
            Path made = file.resolveSibling(file.getFileName() + ".made");
            result.set(validation.compare(names, made));
            Files.move(made, file, StandardCopyOption.REPLACE_EXISTING);
            return true;
          });
      int code = print(result.get());
      System.out.println("the record is in " + record);
      return code;
    }
  }

  private static int print(OnlyResult result) {
    result.lines().forEach(System.out::println);
    return ValidationOnlyRun.exitCode(result);
  }

  private int pass(DaemonClient daemon, List<TableId> names, Optional<RecordTarget> target)
      throws InterruptedException {
    DaemonClient.Answer fence =
        daemon.post("/fence", "timeout=" + seconds, Duration.ofMillis(Math.round(seconds * 1000)));
    boolean coversAll = fence.exitCode() != ExitCode.NOT_COVERED;
    if (!coversAll) {
      fence.print(System.out);
    } else if (!fence.success()) {
      System.out.println("not comparable now: " + fence.outcome().message());
      return ExitCode.NOT_COMPARABLE;
    }
    String of = TableCommand.query(names);
    String asked = target.map(wanted -> "record=" + wanted.id()).orElse("");
    DaemonClient.Answer answer =
        WatchedPass.post(
            daemon, "/validate", of + (of.isEmpty() || asked.isEmpty() ? "" : "&") + asked);
    answer.print(System.out);
    if (target.isPresent()) {
      receive(daemon, target.get());
    }
    return answer.success() && !coversAll ? ExitCode.NOT_COVERED : WatchedPass.exitCode(answer);
  }

  private void receive(DaemonClient daemon, RecordTarget target) throws InterruptedException {
    if (!target.receive(file -> daemon.download("/record", "id=" + target.id(), file))) {
      throw new SluiceException.Fatal(
          new Problem(
              "--record " + record,
              "the daemon made no record",
              "a comparison that ran to its end",
              "See its answer above, and the log of the daemon"));
    }
    System.out.println("the record is in " + record);
  }
}
