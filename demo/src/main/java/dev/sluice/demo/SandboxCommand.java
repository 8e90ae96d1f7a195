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

/** {@code sandbox}: servers to try Kafka Connect with. */
@Command(
    name = "sandbox",
    mixinStandardHelpOptions = true,
    description = {
      "Starts two PostgreSQL servers and Kafka, to try a Kafka Connect cluster on this"
          + " machine: prints the commands that start the replication, runs a workload, waits"
          + " until the rows are replicated, and compares.",
      "Returns 0 only if every row of every table is equal on both sides."
    })
public final class SandboxCommand implements ExtraCommand {
  @Option(
      names = "--seconds",
      defaultValue = "30",
      description =
          "How long the workload continues after the first row has arrived, 1 to 86400 (default:"
              + " ${DEFAULT-VALUE}).")
  private int seconds;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws Exception {
    if (seconds < 1 || seconds > 86_400) {
      throw new ParameterException(
          spec.commandLine(), "--seconds: %d; expected 1 to 86400".formatted(seconds));
    }
    Path folder = CommandLines.extraFolder();
    Files.createDirectories(folder);
    Sandbox sandbox =
        new Sandbox(
            Duration.ofSeconds(seconds), new ShopScale(1), System.out, System.console() != null);
    return sandbox.run(folder) ? ExitCode.DONE : ExitCode.FAILED;
  }
}
