package dev.sluice.bench.peer;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A program of the machine that is on the path, and its version. */
public final class Program {
  private Program() {}

  /**
   * Runs to its end.
   *
   * @return what it has printed, errors too
   * @throws IOException where it is not installed or ends with a code other than 0
   */
  public static String run(List<String> command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    if (process.waitFor() != 0) {
      throw new IOException(command + " ends with " + process.exitValue() + ": " + output);
    }
    return output;
  }

  /**
   * The highest of the numbers that a pattern's first group finds in what {@code --version} prints.
   *
   * @return empty where the program is not installed
   */
  public static Optional<Integer> version(String program, Pattern number)
      throws InterruptedException {
    try {
      Matcher version = number.matcher(run(List.of(program, "--version")));
      int highest = 0;
      while (version.find()) {
        highest = Math.max(highest, Integer.parseInt(version.group(1)));
      }
      return Optional.of(highest);
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
