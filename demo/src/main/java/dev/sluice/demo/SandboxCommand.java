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
      "Starts two PostgreSQL servers and Kafka, for a Kafka Connect cluster to be tried on this"
          + " machine: says which commands bring the rows over, runs a workload, waits for them"
          + " and compares.",
      "Ends with 0 only where every row of every table is equal on both sides."
    })
public final class SandboxCommand implements ExtraCommand {
  @Option(
      names = "--seconds",
      defaultValue = "30",
      description =
          "How long the workload goes on after the first row has come, 1 to 86400;"
              + " ${DEFAULT-VALUE} where left out.")
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
