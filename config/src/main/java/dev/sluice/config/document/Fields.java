package dev.sluice.config.document;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Takes the known keys out of one object of a document and tells of those nobody asked for. A key
 * without a value counts as left out. Mutable; owned by the thread that reads the file.
 */
public final class Fields {

  private final Node.Mapping mapping;
  private final Problems problems;
  private final Function<Node.Text, String> resolve;
  private final List<String> known = new ArrayList<>();
  private final Map<String, String> misplaced = new TreeMap<>();

  public Fields(Node.Mapping mapping, Problems problems) {
    this(mapping, problems, Node.Text::text);
  }

  /**
   * @param resolve gives the text that a text value stands for
   */
  public Fields(Node.Mapping mapping, Problems problems, Function<Node.Text, String> resolve) {
    this.mapping = mapping;
    this.problems = problems;
    this.resolve = resolve;
  }

  public FileLocation place() {
    return mapping.place();
  }

  /** Where the key's value stands, or the object's place where there is none. */
  public FileLocation placeOf(String key) {
    return take(key).map(Node::place).orElseGet(() -> place().key(key));
  }

  public Optional<Node> take(String key) {
    known.add(key);
    return mapping.entries().stream()
        .filter(entry -> entry.key().equals(key))
        .map(Node.Entry::value)
        .filter(value -> !(value instanceof Node.Nothing))
        .findFirst();
  }

  public Optional<Node> require(String key, String expected, String fix) {
    Optional<Node> value = take(key);
    if (value.isEmpty()) {
      problems.add(place().key(key), "is missing", expected, fix);
    }
    return value;
  }

  /** A single value as text, references resolved; an object or a list is a problem. */
  public Optional<String> text(String key) {
    return take(key).flatMap(this::textOf);
  }

  /** A value that is true or false; false where it is missing or wrong, which is told. */
  public boolean toggle(String key) {
    Optional<Node> node = take(key);
    if (node.isPresent() && !(node.get() instanceof Node.Flag)) {
      problem(key, "true or false", "Write true or false, without quotes");
    }
    return node.filter(Node.Flag.class::isInstance)
        .map(flag -> ((Node.Flag) flag).value())
        .orElse(false);
  }

  public Optional<String> requireText(String key, String expected, String fix) {
    return require(key, expected, fix).flatMap(this::textOf);
  }

  public Optional<String> textOf(Node node) {
    if (node instanceof Node.Text text) {
      return Optional.ofNullable(resolve.apply(text));
    }
    String scalar = Node.scalarText(node);
    if (scalar == null) {
      problems.add(node.place(), node.kind(), "a text", "Write one value");
    }
    return Optional.ofNullable(scalar);
  }

  public Optional<Node.Mapping> mapping(String key) {
    return take(key).flatMap(node -> mappingOf(node, problems));
  }

  /** An object that must be there, to be read in its turn; references in it are not resolved. */
  public Optional<Fields> requireFields(String key, String expected, String fix) {
    return require(key, expected, fix)
        .flatMap(this::mappingOf)
        .map(found -> new Fields(found, problems));
  }

  public Optional<Node.Mapping> mappingOf(Node node) {
    return mappingOf(node, problems);
  }

  public static Optional<Node.Mapping> mappingOf(Node node, Problems problems) {
    if (node instanceof Node.Mapping mapping) {
      return Optional.of(mapping);
    }
    problems.add(node.place(), node.kind(), "an object with keys and values", "Write an object");
    return Optional.empty();
  }

  /** Tells of a value that is there and wrong, as it is written: a reference may be secret. */
  public void problem(String key, String expected, String fix) {
    Node node = take(key).orElseThrow();
    problems.add(node.place(), node.shown(), expected, fix);
  }

  public Problems problems() {
    return problems;
  }

  /** One of some texts. */
  public Optional<String> choice(String key, List<String> allowed) {
    return requireText(key, oneOf(allowed), "Add \"" + key + "\": \"" + allowed.get(0) + "\"")
        .filter(text -> isAllowed(key, text, allowed));
  }

  public boolean isAllowed(String key, String text, List<String> allowed) {
    if (allowed.contains(text)) {
      return true;
    }
    problems.add(
        placeOf(key), "the text \"" + text + "\"", oneOf(allowed), NearestName.fix(text, allowed));
    return false;
  }

  public static String oneOf(List<String> names) {
    return "one of: " + String.join(", ", names);
  }

  /** Says where a key belongs that users are known to put here. */
  public void misplaced(String key, String fix) {
    misplaced.putIfAbsent(key, fix);
  }

  /** Every key that was not asked for is a problem. */
  public void refuseOthers() {
    for (Node.Entry entry : mapping.entries()) {
      if (known.contains(entry.key())) {
        continue;
      }
      problems.add(
          entry.place(),
          "unknown key \"" + entry.key() + "\"",
          "one of: " + known.stream().distinct().sorted().collect(Collectors.joining(", ")),
          misplaced.containsKey(entry.key())
              ? misplaced.get(entry.key())
              : NearestName.of(entry.key(), known)
                  .map(name -> "Did you mean \"" + name + "\"?")
                  .orElse("Remove it"));
    }
  }
}
