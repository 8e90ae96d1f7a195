package dev.sluice.engine;

import dev.sluice.engine.command.CommandLines;
import java.util.Locale;

/** The command line's entry. */
public final class Main {
  private Main() {}

  /** Runs a command and ends the process with its exit code: 0 done, 1 failed, 2 bad input. */
  public static void main(String[] arguments) {
    // Numbers are written into SQL and names of files: in some locales they have other digits.
    Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT);
    CommandLines.prepareProcess(arguments);
    System.exit(CommandLines.run(arguments));
  }
}
