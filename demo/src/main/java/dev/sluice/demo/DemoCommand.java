package dev.sluice.demo;

import dev.sluice.demo.workload.ShopScale;
import dev.sluice.engine.command.CommandLines;
import dev.sluice.engine.command.ExitCode;
import dev.sluice.engine.command.ExtraCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code demo}: a complete migration on this machine. */
@Command(
    name = "demo",
    mixinStandardHelpOptions = true,
    description = {
      "Starts two servers and Kafka, runs a workload, migrates it to the other server, cuts over and"
          + " compares.",
      "Returns 0 only if every row of every table is equal on both sides."
    })
public final class DemoCommand implements ExtraCommand {
  @Option(
      names = "--source",
      defaultValue = "postgresql",
      description =
          "The source: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}). MariaDB runs on Linux"
              + " on x86-64 only.")
  private DemoRoute.Database source;

  @Option(
      names = "--target",
      defaultValue = "postgresql",
      description =
          "The target: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}). MariaDB takes a source"
              + " of PostgreSQL, and runs on Linux on x86-64 only.")
  private DemoRoute.Database target;

  @Option(
      names = "--seconds",
      defaultValue = "30",
      description =
          "How long the workload continues after the load, 0 to 86400 (default: ${DEFAULT-VALUE}).")
  private int seconds;

  @Option(
      names = "--connections",
      defaultValue = "4",
      description = "Connections of the workload, 1 to 200 (default: ${DEFAULT-VALUE}).")
  private int connections;

  @Option(
      names = "--scale",
      defaultValue = "4",
      description = "Warehouses, about 27,000 rows each, 1 to 1000 (default: ${DEFAULT-VALUE}).")
  private int scale;

  @Option(
      names = "--rate",
      defaultValue = "400",
      description =
          "Transactions per second of the workload, 0 for as many as the source allows (default:"
              + " ${DEFAULT-VALUE}).")
  private int rate;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws Exception {
    within("--seconds", seconds, 0, 86_400);
    within("--connections", connections, 1, 200);
    within("--scale", scale, 1, 1_000);
    within("--rate", rate, 0, 1_000_000);
    DemoRoute route = DemoRoute.of(source, target);
    Path folder = CommandLines.extraFolder();
    Demo demo =
        new Demo(
            route,
            new Demo.Size(Duration.ofSeconds(seconds), connections, rate, new ShopScale(scale)),
            CommandLines::run,
            System.out,
            System.console() != null);
    Files.createDirectories(folder);
    return demo.run(folder) ? ExitCode.DONE : ExitCode.FAILED;
  }

  private void within(String option, int value, int least, int most) {
    if (value < least || value > most) {
      throw new ParameterException(
          spec.commandLine(), "%s: %d; expected %d to %d".formatted(option, value, least, most));
    }
  }
}
