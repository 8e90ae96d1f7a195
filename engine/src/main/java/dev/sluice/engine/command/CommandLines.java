package dev.sluice.engine.command;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine;

/** Takes a command line apart, runs its command and turns failures into messages and exit codes. */
public final class CommandLines {
  /** Read by the logging configuration when the first logger is made. */
  private static final String LOG_LEVEL = "sluice.log.level";

  private static final String LOG_STACK_TRACES = "sluice.log.stacktraces";

  /** The folder of a demo, where its log goes as well. */
  static final String DEMO_FOLDER = "sluice.demo.folder";

  private CommandLines() {}

  /** Gives the exit code of {@link ExitCode}. */
  public static int run(String... arguments) {
    List<String> words = Arrays.asList(arguments);
    int end = words.indexOf("--");
    boolean debug = (end < 0 ? words : words.subList(0, end)).contains("--debug");
    // Only the daemon tells what it does; of the other commands the output is the answer.
    String name = commandOf(words);
    boolean daemon = name.equals("run");
    System.setProperty(LOG_LEVEL, debug ? "DEBUG" : daemon ? "INFO" : "ERROR");
    System.setProperty(LOG_STACK_TRACES, debug ? "%ex" : "%ex{0}");
    if (name.equals("demo") || name.equals("sandbox")) {
      // Its screen is for the demo's own lines.
      System.setProperty(DEMO_FOLDER, demoFolder());
      System.setProperty("logback.configurationFile", "logback-demo.xml");
    }
    return new CommandLine(new SluiceCommand())
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setExecutionExceptionHandler(
            (failure, command, parsed) -> new FailureReport(System.err, debug).print(failure))
        .execute(arguments);
  }

  /** The first word that is no option; a task file may have the name of a command. */
  private static String commandOf(List<String> words) {
    return words.stream().filter(word -> !word.startsWith("-")).findFirst().orElse("");
  }

  private static String demoFolder() {
    return Path.of(
            System.getProperty("java.io.tmpdir"), "sluice-demo-" + ProcessHandle.current().pid())
        .toString();
  }
}
