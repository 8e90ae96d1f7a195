package dev.sluice.engine.endtoend;

import dev.sluice.monitoring.AlertRules;
import java.nio.file.Files;
import java.nio.file.Path;

/** The alert rules as users load them, with shorter times. */
final class ShortenedRules {
  private static final Path ROOT = Path.of("..");

  /** How long a rule looks back: longer than a loaded machine stands still. */
  private static final String LOOKS_BACK = "30s";

  private static final String EIGHT_DAYS = "> 691200";

  private ShortenedRules() {}

  /** Writes them into a folder. */
  static Path write(Path folder) throws Exception {
    String text = Files.readString(ROOT.resolve(AlertRules.FILE));
    // Restarts are counted over many scrapes: each of the test's takes a while.
    String shorter =
        text.replaceAll("(?m)^( +)for: \\S+$", "$1for: 0s")
            .replaceAll("\\[([0-9]+m|1h)](?!\\) > 2)", "[" + LOOKS_BACK + "]")
            .replace(EIGHT_DAYS, "> 60");
    if (!text.contains(EIGHT_DAYS) || !shorter.contains("[" + LOOKS_BACK + "]")) {
      throw new IllegalStateException("the times of " + AlertRules.FILE + " are written otherwise");
    }
    return Files.writeString(folder.resolve("rules.yml"), shorter);
  }
}
