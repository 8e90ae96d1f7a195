package dev.sluice.config.document;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Replaces the references {@code ${env:NAME}} and {@code ${file:/path}} by their values. A value
 * may be secret: messages show only the reference. Used by the thread that reads the file.
 */
public final class References {

  private static final Pattern REFERENCE = Pattern.compile("\\$\\{([A-Za-z]+):([^}]*)\\}");

  private final Path folder;
  private final Map<String, String> environment;
  private final Problems problems;

  /**
   * @param folder the base of relative paths
   */
  public References(Path folder, Map<String, String> environment, Problems problems) {
    this.folder = folder;
    this.environment = environment;
    this.problems = problems;
  }

  /** The text with its references replaced; null after a problem. */
  public String resolve(Node.Text node) {
    Matcher matcher = REFERENCE.matcher(node.text());
    StringBuilder resolved = new StringBuilder();
    boolean complete = true;
    while (matcher.find()) {
      String value = value(node.place(), matcher.group(1), matcher.group(2));
      complete &= value != null;
      matcher.appendReplacement(resolved, Matcher.quoteReplacement(value == null ? "" : value));
    }
    return complete ? matcher.appendTail(resolved).toString() : null;
  }

  private String value(FileLocation place, String kind, String name) {
    return switch (kind) {
      case "env" -> variable(place, name);
      case "file" -> fileContent(place, name);
      default -> {
        problems.add(
            place,
            "the reference ${" + kind + ":…}",
            "${env:NAME} or ${file:/path}",
            "Use one of these two");
        yield null;
      }
    };
  }

  private String variable(FileLocation place, String name) {
    String value = environment.get(name);
    if (value == null) {
      problems.add(
          place,
          "the environment variable " + name + " is not set",
          "a value for ${env:" + name + "}",
          "Set it where the command runs: export " + name + "=…");
    }
    return value;
  }

  private String fileContent(FileLocation place, String name) {
    try {
      // editors and echo end a file with a newline that is no part of a password
      return Files.readString(folder.resolve(name)).replaceFirst("\\r?\\n\\z", "");
    } catch (IOException | InvalidPathException e) {
      problems.add(
          place,
          "the file " + name + " cannot be read (" + e.getClass().getSimpleName() + ")",
          "a readable text file for ${file:" + name + "}",
          "Create it, correct the path, or grant the permission to read it");
      return null;
    }
  }
}
