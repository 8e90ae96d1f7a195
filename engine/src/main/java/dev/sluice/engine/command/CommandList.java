package dev.sluice.engine.command;

import java.util.Arrays;
import java.util.ServiceLoader;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/**
 * The root with the daemon's commands, in the order of the help. picocli reads a command by
 * reflection, with all classes that it names: so a command line makes only the one that it runs.
 */
@Command(
    name = "sluice",
    subcommands = {
      RunCommand.class,
      CheckCommand.class,
      FromDmsCommand.class,
      StatusCommand.class,
      WaitCommand.class,
      CutoverCommand.class,
      RehearseCommand.class,
      ResumeCommand.class,
      ReloadCommand.class,
      RepairCommand.class,
      ResyncCommand.class,
      RetryCommand.class,
      ValidateCommand.class,
      ImportCommand.class,
      TuneCommand.class,
      LoggingCommand.class,
      ConnectConfigCommand.class,
      StopCommand.class,
      FallbackCommand.class,
      ForgetCutoverCommand.class
    })
final class CommandList extends SluiceCommand {

  /** The parser with all commands: the daemon's, and those that other libraries add. */
  static CommandLine all() {
    CommandLine line = new CommandLine(new CommandList());
    ServiceLoader.load(ExtraCommand.class).forEach(line::addSubcommand);
    return line;
  }

  /** The parser with this command only, or with all if the daemon has none of that name. */
  static CommandLine only(String name) {
    return Arrays.stream(attributes(CommandList.class).subcommands())
        .filter(command -> attributes(command).name().equals(name))
        .findFirst()
        .map(command -> new CommandLine(new SluiceCommand()).addSubcommand(command))
        .orElseGet(CommandList::all);
  }

  private static Command attributes(Class<?> command) {
    return command.getAnnotation(Command.class);
  }
}
