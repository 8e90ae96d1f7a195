package dev.sluice.engine.command;

import dev.sluice.engine.logging.ProcessLog;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine;

/** Parses a command line, runs its command and turns failures into messages and exit codes. */
public final class CommandLines {
  /** System property with the folder of an extra command, which also holds its log. */
  static final String EXTRA_FOLDER = "sluice.demo.folder";

  private static final List<String> EXTRAS_OF_A_CHECKOUT = List.of("demo", "sandbox");

  /** Those that only read the task file and ask the daemon. */
  private static final List<String> ONLY_ASK =
      List.of("status", "wait", "tune", "logging", "retry", "resume");

  private CommandLines() {}

  /**
   * Called before {@link #run}, by a process of its own: a command that only asks the daemon has
   * nothing to log.
   */
  public static void prepareProcess(String... arguments) {
    List<String> words = Arrays.asList(arguments);
    if (ONLY_ASK.contains(commandOf(words)) && !words.contains("--debug")) {
      ProcessLog.none();
    }
  }

  /** Runs the command line and returns an exit code of {@link ExitCode}. */
  public static int run(String... arguments) {
    List<String> words = Arrays.asList(arguments);
    int end = words.indexOf("--");
    boolean debug = (end < 0 ? words : words.subList(0, end)).contains("--debug");
    // Only the daemon logs at INFO; the output of other commands must be their answer alone.
    String name = commandOf(words);
    boolean daemon = name.equals("run");
    ProcessLog.begin(debug ? "DEBUG" : daemon ? "INFO" : "ERROR");
    boolean extra = EXTRAS_OF_A_CHECKOUT.contains(name);
    if (extra) {
      System.setProperty(EXTRA_FOLDER, newFolder());
      if (!asksForHelp(words)) {
        ProcessLog.intoFile(extraFolder().resolve("sluice.log"));
      }
    }
    CommandLine line = CommandList.only(name);
    if (extra && !line.getSubcommands().containsKey(name)) {
      System.err.printf(
          "sluice: %s starts PostgreSQL servers, which are not part of this installation; run"
              + " ./sluice %s in a checkout of the source code, or sluice run with servers of"
              + " yours%n",
          name, name);
      return ExitCode.BAD_INPUT;
    }
    return line.setCaseInsensitiveEnumValuesAllowed(true)
        .setExecutionExceptionHandler(
            (failure, command, parsed) -> new FailureReport(System.err, debug).print(failure))
        .execute(arguments);
  }

  /** The first word that is not an option; a later one may be a task file named like a command. */
  private static String commandOf(List<String> words) {
    return words.stream().filter(word -> !word.startsWith("-")).findFirst().orElse("");
  }

  private static boolean asksForHelp(List<String> words) {
    return words.contains("--help") || words.contains("-h");
  }

  /** The folder of the extra command that is running. */
  public static Path extraFolder() {
    return Path.of(System.getProperty(EXTRA_FOLDER));
  }

  private static String newFolder() {
    return Path.of(
            System.getProperty("java.io.tmpdir"), "sluice-demo-" + ProcessHandle.current().pid())
        .toString();
  }
}
