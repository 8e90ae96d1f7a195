package dev.sluice.engine.command;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The root of the command line; does nothing on its own but show its help. */
@Command(
    name = "sluice",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    description = "Moves a running PostgreSQL database to another server and keeps both in step.",
    synopsisSubcommandLabel = "COMMAND",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done",
      "1:tried and failed",
      "2:the command line, a file or a server is not as it must be",
      "3:an import is done, but for bad rows that it put aside",
      "4:an order still runs, and is undecided: the status tells how it ends",
      "5:done, but for what is named: the target lacks something of the source",
      "6:both sides could not be compared, since the source went on being written to"
    },
    subcommands = {
      RunCommand.class,
      CheckCommand.class,
      StatusCommand.class,
      WaitCommand.class,
      CutoverCommand.class,
      ResumeCommand.class,
      ReloadCommand.class,
      RetryCommand.class,
      ValidateCommand.class,
      ImportCommand.class,
      TuneCommand.class,
      ConnectConfigCommand.class,
      StopCommand.class,
      ForgetCutoverCommand.class
    })
final class SluiceCommand implements Runnable {
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
