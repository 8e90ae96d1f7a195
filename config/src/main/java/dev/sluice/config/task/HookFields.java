package dev.sluice.config.task;

import dev.sluice.config.document.Fields;
import dev.sluice.config.document.Node;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Reads the keys that all kinds of hooks have. Used for one file, by one thread. */
final class HookFields {
  private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(5);
  private static final Duration SHORTEST = Duration.ofMillis(100);
  private static final Duration LONGEST = Duration.ofMinutes(10);
  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_-]{0,39}");

  private final Fields fields;

  HookFields(Fields fields) {
    this.fields = fields;
  }

  /** The hook's name; empty if it is missing, and after a problem. */
  Optional<String> name() {
    return fields.text("name").filter(this::isName);
  }

  private boolean isName(String text) {
    boolean valid = NAME.matcher(text).matches();
    if (!valid) {
      fields.problem(
          "name",
          "a lower-case letter, then at most 39 lower-case letters, digits, _ or -",
          "Choose another name, such as switch-dns");
    }
    return valid;
  }

  /** The longest time for one step. */
  Duration timeout() {
    Optional<String> text = fields.text("timeout");
    Optional<Duration> given = text.flatMap(TextDuration::parse).filter(HookFields::isInRange);
    if (text.isPresent() && given.isEmpty()) {
      fields.problem(
          "timeout", "a duration from 100ms to 10m, such as 500ms, 5s or 2m", "Write it like 5s");
    }
    return given.orElse(DEFAULT_TIMEOUT);
  }

  private static boolean isInRange(Duration duration) {
    return duration.compareTo(SHORTEST) >= 0 && duration.compareTo(LONGEST) <= 0;
  }

  /** The items of a list; a single value or an empty list is a problem. */
  List<Node> list(String key, String expected, String fix) {
    Optional<Node> node = fields.take(key);
    List<Node> items = new ArrayList<>();
    if (node.isPresent() && node.get() instanceof Node.Sequence list) {
      items.addAll(list.items());
    }
    if (node.isPresent() && items.isEmpty()) {
      fields
          .problems()
          .add(
              node.get().place(),
              node.get() instanceof Node.Sequence ? "an empty list" : node.get().kind(),
              expected,
              fix);
    }
    return items;
  }
}
