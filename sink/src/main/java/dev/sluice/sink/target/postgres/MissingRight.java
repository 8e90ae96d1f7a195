package dev.sluice.sink.target.postgres;

import dev.sluice.config.TableId;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds the fix for a missing right of the task's user from the server's message. Pure. */
final class MissingRight {
  private static final String USER = "the user of target.url";

  private static final Pattern DENIED =
      Pattern.compile("permission denied for (table|view|sequence|schema|database) (.+)");

  private static final Map<String, String> RIGHTS =
      Map.of(
          "TABLE", "SELECT, INSERT, UPDATE, DELETE, TRUNCATE",
          "SEQUENCE", "USAGE, SELECT, UPDATE",
          "SCHEMA", "USAGE, CREATE",
          "DATABASE", "CREATE, TEMPORARY");

  private MissingRight() {}

  /**
   * @param message the server's message, which names the object without its schema
   */
  static String fix(String message) {
    Matcher denied = DENIED.matcher(message);
    if (denied.find()) {
      String kind = denied.group(1).equals("view") ? "TABLE" : denied.group(1).toUpperCase();
      return "As its owner run: GRANT %s ON %s %s TO %s"
          .formatted(RIGHTS.get(kind), kind, TableId.quote(denied.group(2)), USER);
    }
    if (message.startsWith("must be owner of ")) {
      return "Make %s the owner: ALTER … OWNER TO, or GRANT the owner's role".formatted(USER);
    }
    return "Give %s that right; sluice check names the GRANT for each right that a task needs"
        .formatted(USER);
  }
}
