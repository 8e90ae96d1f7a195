package dev.sluice.engine.command;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "status",
    description = "Shows how a running task gets on.",
    mixinStandardHelpOptions = true)
final class StatusCommand implements Callable<Integer> {
  @Mixin private TaskFileArgument file;

  @Option(names = "--json", description = "As JSON, with everything.")
  private boolean json;

  @Override
  public Integer call() throws InterruptedException {
    JsonNode status = new DaemonClient(file.read()).status();
    System.out.println(json ? status.toPrettyString() : new StatusText(status).text());
    return ExitCode.DONE;
  }
}
