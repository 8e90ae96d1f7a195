package dev.sluice.engine.command;

import java.util.List;
import picocli.CommandLine.Model.CommandSpec;

/** The command line as picocli knows it, for tests of other packages. */
public final class CommandModel {
  private static final CommandSpec ROOT = CommandList.all().getCommandSpec();

  private CommandModel() {}

  public static List<String> commands() {
    return List.copyOf(ROOT.subcommands().keySet());
  }

  /** The options of a command, those included that every command has. */
  public static List<String> options(String command) {
    return ROOT.subcommands().get(command).getCommandSpec().options().stream()
        .flatMap(option -> List.of(option.names()).stream())
        .toList();
  }

  /** The options of {@code sluice} itself, which every command has as well. */
  public static List<String> commonOptions() {
    return ROOT.options().stream().flatMap(option -> List.of(option.names()).stream()).toList();
  }

  public static List<String> exitCodes() {
    return List.copyOf(ROOT.usageMessage().exitCodeList().keySet());
  }
}
