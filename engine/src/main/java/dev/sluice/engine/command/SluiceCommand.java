package dev.sluice.engine.command;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The root of the command line with its options; on its own it only prints its help. */
@Command(
    name = "sluice",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    description =
        "Moves a running database (PostgreSQL, MariaDB, MySQL) to another server, and keeps both in"
            + " step until the applications are cut over.",
    synopsisSubcommandLabel = "COMMAND",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done",
      "1:tried and failed",
      "2:the command line, a file or a server is not as it must be",
      "3:an import is done, but bad rows were put aside",
      "4:undecided: the request still runs; sluice status shows how it ends",
      "5:done, but the output lists what is missing or went wrong; or no-go",
      "6:source and target could not be compared: rows kept changing, or a table cannot be compared"
    })
class SluiceCommand implements Runnable {
  @Option(
      names = "--debug",
      scope = ScopeType.INHERIT,
      description = "Log everything, and show stack traces.")
  private boolean debug;

  @Spec private CommandSpec spec;

  boolean debug() {
    return debug;
  }

  @Override
  public void run() {
    spec.commandLine().usage(System.out);
  }
}
