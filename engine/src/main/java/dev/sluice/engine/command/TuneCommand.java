package dev.sluice.engine.command;

import dev.sluice.config.task.RunningSettings;
import dev.sluice.engine.status.SettingsStatus;
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
    name = "tune",
    description = {
      "Changes settings of a running task from its next window on. The values last until the daemon"
          + " ends and are not written to a file. To keep them, write them into the task settings,"
          + " which the daemon also reads while it runs.",
      "Without KEY=VALUE it lists the settings that can be changed, with their values."
    },
    mixinStandardHelpOptions = true)
final class TuneCommand implements Callable<Integer> {
  /** Of a setting that a daemon of another release does not have. */
  private static final SettingsStatus.Setting UNKNOWN =
      new SettingsStatus.Setting("", "", true, null);

  private static final Duration ANSWER = Duration.ofSeconds(10);

  @Mixin private TaskFileArgument file;

  @Parameters(
      index = "1..*",
      paramLabel = "KEY=VALUE",
      description =
          "A setting, with or without its section, and its new value as in the task settings:"
              + " BatchApplyTimeoutMin=0.1")
  private Map<String, String> values = new LinkedHashMap<>();

  @Override
  public Integer call() {
    DaemonClient daemon = new DaemonClient(file.readHome());
    if (values.isEmpty()) {
      list(daemon.status().status().settings().inEffect());
      return ExitCode.DONE;
    }
    String query =
        values.entrySet().stream()
            .map(value -> encoded(value.getKey()) + "=" + encoded(value.getValue()))
            .collect(Collectors.joining("&"));
    DaemonClient.Answer answer = daemon.post("/tune", query, ANSWER);
    answer.print(answer.success() ? System.out : System.err);
    return answer.success() ? ExitCode.DONE : ExitCode.BAD_INPUT;
  }

  private static void list(Map<String, SettingsStatus.Setting> settings) {
    for (String path : RunningSettings.live()) {
      SettingsStatus.Setting setting = settings.getOrDefault(path, UNKNOWN);
      System.out.printf(
          "%-48s %-16s %s%s%n",
          path,
          setting.value(),
          setting.from(),
          setting.effective() != null
              ? ", " + setting.effective() + " in effect: the heap's share"
              : "");
    }
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}
