package dev.sluice.config.document;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Reads the known keys of one object of a document and reports unknown ones. A key without a value
 * counts as missing. Mutable; owned by the thread that reads the file.
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
   * @param resolve replaces the references in a text; null after a problem
   */
  public Fields(Node.Mapping mapping, Problems problems, Function<Node.Text, String> resolve) {
    this.mapping = mapping;
    this.problems = problems;
    this.resolve = resolve;
  }

  public FileLocation place() {
    return mapping.place();
  }

  /** The location of the key's value, or of the object if the key is missing. */
  public FileLocation placeOf(String key) {
    return take(key).map(Node::place).orElseGet(() -> place().key(key));
  }

  /** The key's value; empty if it is missing. The key counts as known from now on. */
  public Optional<Node> take(String key) {
    known.add(key);
    return mapping.entries().stream()
        .filter(entry -> entry.key().equals(key))
        .map(Node.Entry::value)
        .filter(value -> !(value instanceof Node.Nothing))
        .findFirst();
  }

  /** The key's value; if it is missing, that is a problem. */
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

  /** A value that is true or false; false if it is missing. Another value is a problem. */
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
      problems.add(node.place(), node.kind(), "a text", "Write a single value");
    }
    return Optional.ofNullable(scalar);
  }

  public Optional<Node.Mapping> mapping(String key) {
    return take(key).flatMap(node -> mappingOf(node, problems));
  }

  /** The fields of a required object; references in it are not resolved. */
  public Optional<Fields> requireFields(String key, String expected, String fix) {
    return require(key, expected, fix)
        .flatMap(this::mappingOf)
        .map(found -> new Fields(found, problems));
  }

  public Optional<Node.Mapping> mappingOf(Node node) {
    return mappingOf(node, problems);
  }

  /** The fields of a required object, with references resolved as here. */
  public Optional<Fields> requireSection(String key, String expected, String fix) {
    return require(key, expected, fix)
        .flatMap(this::mappingOf)
        .map(found -> new Fields(found, problems, resolve));
  }

  /** All keys with their texts, references resolved; each counts as known from now on. */
  public Map<String, String> texts() {
    Map<String, String> texts = new TreeMap<>();
    for (Node.Entry entry : mapping.entries()) {
      text(entry.key()).ifPresent(value -> texts.put(entry.key(), value));
    }
    return texts;
  }

  public static Optional<Node.Mapping> mappingOf(Node node, Problems problems) {
    if (node instanceof Node.Mapping mapping) {
      return Optional.of(mapping);
    }
    problems.add(node.place(), node.kind(), "an object with keys and values", "Write an object");
    return Optional.empty();
  }

  /** Reports a wrong value as it is written: what a reference stands for may be secret. */
  public void problem(String key, String expected, String fix) {
    Node node = take(key).orElseThrow();
    problems.add(node.place(), node.shown(), expected, fix);
  }

  public Problems problems() {
    return problems;
  }

  /** A required text that must be one of those allowed. */
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

  /** Accepts these keys where they have no value: some tools write each key that they know. */
  public void allowWithoutValue(List<String> keys) {
    mapping.entries().stream()
        .filter(entry -> entry.value() instanceof Node.Nothing)
        .map(Node.Entry::key)
        .filter(keys::contains)
        .forEach(known::add);
  }

  /** Registers the fix for a key that users often write in this object by mistake. */
  public void misplaced(String key, String fix) {
    misplaced.putIfAbsent(key, fix);
  }

  /** Reports every key that was never taken. */
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
