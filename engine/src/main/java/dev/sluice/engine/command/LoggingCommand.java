package dev.sluice.engine.command;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
    name = "logging",
    description = {
      "Changes levels of the log of a running task. They last until the daemon ends and are not"
          + " written to a file.",
      "Without PACKAGE=LEVEL it lists the packages that have a level of their own."
    },
    mixinStandardHelpOptions = true)
final class LoggingCommand implements Callable<Integer> {
  private static final Duration ANSWER = Duration.ofSeconds(10);

  @Mixin private TaskFileArgument file;

  @Parameters(
      index = "1..*",
      paramLabel = "PACKAGE=LEVEL",
      description =
          "A package or class, or root for all others, and off, error, warn, info, debug, trace or"
              + " default, which is the level of the start: dev.sluice.sink=debug")
  private Map<String, String> levels = new LinkedHashMap<>();

  @Override
  public Integer call() {
    DaemonClient daemon = new DaemonClient(file.readHome());
    String query =
        levels.entrySet().stream()
            .map(level -> encoded(level.getKey()) + "=" + encoded(level.getValue()))
            .collect(Collectors.joining("&"));
    DaemonClient.Answer answer = daemon.post("/logging", query, ANSWER);
    answer.print(answer.success() ? System.out : System.err);
    return answer.success() ? ExitCode.DONE : ExitCode.BAD_INPUT;
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}
