package dev.sluice.bench.run;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A benchmark's arguments, each given as {@code name=value} and each with a default. The arguments
 * are declared first, then parsed. Not threadsafe.
 */
public final class Arguments {
  private final String usage;
  private final Map<String, Argument> known = new LinkedHashMap<>();
  private final Map<String, String> given = new LinkedHashMap<>();

  /**
   * @param usage the command, and what it does
   */
  public Arguments(String usage) {
    this.usage = usage;
  }

  /**
   * @param form a regular expression that every value matches
   * @param meaning with its unit and range
   */
  public Arguments with(String name, String otherwise, String form, String meaning) {
    known.put(name, new Argument(otherwise, form, meaning));
    return this;
  }

  /** A whole number from 1 on. */
  public Arguments withCount(String name, int otherwise, String meaning) {
    return with(name, Integer.toString(otherwise), "[1-9][0-9]{0,8}", meaning);
  }

  /** A number above 0, with or without a fraction. */
  public Arguments withNumber(String name, String otherwise, String meaning) {
    return with(name, otherwise, "(?=.*[1-9])[0-9]{1,9}(\\.[0-9]{1,9})?", meaning);
  }

  /**
   * @throws Refused where one is unknown or its value cannot be used, with all of them; and where
   *     help is asked for
   */
  public Arguments read(String... arguments) {
    List<String> problems = new ArrayList<>();
    for (String argument : arguments) {
      if (argument.equals("--help") || argument.equals("-h")) {
        throw new Refused(help(), 0);
      }
      String[] parts = argument.split("=", 2);
      Argument met = known.get(parts[0]);
      if (met == null || parts.length == 1) {
        problems.add(argument + ": expected one of " + String.join("=, ", known.keySet()) + "=");
      } else if (!parts[1].matches(met.form())) {
        problems.add(argument + ": expected " + met.meaning());
      } else {
        given.put(parts[0], parts[1]);
      }
    }
    if (!problems.isEmpty()) {
      throw new Refused(String.join("\n", problems), 2);
    }
    return this;
  }

  public String text(String name) {
    return given.getOrDefault(name, known.get(name).otherwise());
  }

  public int count(String name) {
    return Integer.parseInt(text(name));
  }

  public double number(String name) {
    return Double.parseDouble(text(name));
  }

  private String help() {
    StringBuilder help = new StringBuilder(usage).append("\n\nArguments, each as name=value:\n");
    known.forEach(
        (name, argument) ->
            help.append(String.format("  %-12s %s", name, argument.meaning()))
                .append(String.format(" (default: %s)%n", argument.otherwise())));
    return help.toString();
  }

  private record Argument(String otherwise, String form, String meaning) {}

  /** The arguments are invalid. */
  public static final class Refused extends RuntimeException {
    private final int exitCode;

    private Refused(String message, int exitCode) {
      super(message);
      this.exitCode = exitCode;
    }

    int exitCode() {
      return exitCode;
    }
  }
}
