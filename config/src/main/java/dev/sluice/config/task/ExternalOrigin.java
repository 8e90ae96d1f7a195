package dev.sluice.config.task;

import dev.sluice.config.document.Fields;
import dev.sluice.config.document.Node;
import dev.sluice.config.document.Problems;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * An address under which browsers reach the page through a proxy with TLS, as they write it into
 * the header {@code Origin}. Immutable.
 *
 * @param text such as {@code https://sluice.example.org}
 */
public record ExternalOrigin(String text) {
  static final String KEY = "http-origins";

  private static final String SCHEME = "https://";

  /** A browser leaves out the port that is https's own. */
  private static final Pattern FORM =
      Pattern.compile(
          "https://([a-z0-9]([a-z0-9.-]*[a-z0-9])?|\\[[0-9a-f:.]+\\])(:(?!443$)[1-9][0-9]{0,4})?");

  /** The form is checked where the task file is read. */
  public static Optional<ExternalOrigin> parse(String text) {
    return FORM.matcher(text).matches() ? Optional.of(new ExternalOrigin(text)) : Optional.empty();
  }

  /** Host and port, as a browser writes them into the header {@code Host}. */
  public String host() {
    return text.substring(SCHEME.length());
  }

  /** The list under {@code http-origins} of a section; none if it is missing. */
  static List<ExternalOrigin> read(Fields fields) {
    Optional<Node> list = fields.take(KEY);
    if (list.isEmpty()) {
      return List.of();
    }
    if (!(list.get() instanceof Node.Sequence items)) {
      fields.problem(
          KEY, "a list of addresses", "Write it like http-origins: [https://sluice.example.org]");
      return List.of();
    }
    return items.items().stream()
        .flatMap(item -> fields.textOf(item).flatMap(text -> of(item, text, fields)).stream())
        .toList();
  }

  private static Optional<ExternalOrigin> of(Node item, String text, Fields fields) {
    Optional<ExternalOrigin> origin = parse(text);
    if (origin.isEmpty()) {
      Problems problems = fields.problems();
      problems.add(
          item.place(),
          item.shown(),
          "https:// and a host in lower case, with its port unless that is 443, and nothing after",
          "Write what the browser shows of the page's address up to the first / of the path, such"
              + " as https://sluice.example.org");
    }
    return origin;
  }

  @Override
  public String toString() {
    return text;
  }
}
