package dev.sluice.config.transformation;

import static java.util.stream.Collectors.joining;

import dev.sluice.config.document.Fields;
import dev.sluice.config.document.Problems;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A name pattern of DMS's rules: {@code %} matches any characters, {@code _} one, {@code [ab]} and
 * {@code [a-d]} one of a set, {@code [_]} the character itself. Letter case counts. Immutable.
 */
public final class NamePattern {

  /** The set that one character of a name must be in; null is any character. */
  private record Part(boolean anyNumber, List<Interval> set) {
    boolean takes(int character) {
      return set == null || set.stream().anyMatch(interval -> interval.holds(character));
    }
  }

  private record Interval(int first, int last) {
    boolean holds(int character) {
      return first <= character && character <= last;
    }
  }

  private final String text;
  private final List<Part> parts = new ArrayList<>();

  /**
   * @throws IllegalArgumentException if a bracket is not closed or is empty
   */
  public NamePattern(String text) {
    this.text = text;
    int[] characters = text.codePoints().toArray();
    int index = 0;
    while (index < characters.length) {
      int character = characters[index++];
      if (character == '%') {
        parts.add(new Part(true, null));
      } else if (character == '_') {
        parts.add(new Part(false, null));
      } else if (character == '[') {
        index = addSet(characters, index);
      } else {
        parts.add(new Part(false, List.of(new Interval(character, character))));
      }
    }
  }

  /** The pattern in a rule's locator; empty after a problem. */
  public static Optional<NamePattern> read(Fields locator, String key, Problems problems) {
    return locator
        .requireText(key, "a name; % and _ are wildcards", "Add \"" + key + "\"")
        .flatMap(
            text -> {
              try {
                return Optional.of(new NamePattern(text));
              } catch (IllegalArgumentException e) {
                problems.add(
                    locator.placeOf(key),
                    "the name \"" + text + "\": " + e.getMessage(),
                    "a name with %, _, [ab], [a-d] or [_]",
                    "Close the bracket; for the character [ itself write [[]");
                return Optional.empty();
              }
            });
  }

  private int addSet(int[] characters, int start) {
    List<Interval> set = new ArrayList<>();
    int index = start;
    while (index < characters.length && characters[index] != ']') {
      int first = characters[index];
      boolean range =
          index + 2 < characters.length
              && characters[index + 1] == '-'
              && characters[index + 2] != ']';
      set.add(new Interval(first, range ? characters[index + 2] : first));
      index += range ? 3 : 1;
    }
    if (index >= characters.length) {
      throw new IllegalArgumentException("the bracket [ is not closed");
    }
    if (set.isEmpty()) {
      throw new IllegalArgumentException("the brackets [] are empty");
    }
    parts.add(new Part(false, set));
    return index + 1;
  }

  /** The pattern that matches only this name. */
  public static NamePattern literal(String name) {
    return new NamePattern(escaped(name));
  }

  /** The names that this pattern matches, with a prefix before each. */
  public NamePattern withPrefix(String prefix) {
    return new NamePattern(escaped(prefix) + text);
  }

  /** The names that this pattern matches, with a suffix after each. */
  public NamePattern withSuffix(String suffix) {
    return new NamePattern(text + escaped(suffix));
  }

  private static String escaped(String name) {
    return name.replaceAll("[%_\\[]", "[$0]");
  }

  /** True if the pattern matches exactly one name. */
  public boolean isPlain() {
    return parts.stream()
        .allMatch(
            part ->
                part.set() != null
                    && part.set().size() == 1
                    && part.set().get(0).first() == part.set().get(0).last());
  }

  /** The only name that a plain pattern matches. */
  public String plainName() {
    StringBuilder name = new StringBuilder();
    parts.forEach(part -> name.appendCodePoint(part.set().get(0).first()));
    return name.toString();
  }

  public boolean matches(String name) {
    int[] characters = name.codePoints().toArray();
    // reached[i]: the parts so far match the first i characters
    boolean[] reached = new boolean[characters.length + 1];
    reached[0] = true;
    for (Part part : parts) {
      boolean[] next = new boolean[characters.length + 1];
      if (part.anyNumber()) {
        boolean before = false;
        for (int index = 0; index <= characters.length; index++) {
          before |= reached[index];
          next[index] = before;
        }
      } else {
        for (int index = 0; index < characters.length; index++) {
          next[index + 1] = reached[index] && part.takes(characters[index]);
        }
      }
      reached = next;
    }
    return reached[characters.length];
  }

  /** The same as a regular expression, for Java and PostgreSQL. */
  public String regularExpression() {
    StringBuilder expression = new StringBuilder("^");
    for (Part part : parts) {
      if (part.set() == null) {
        expression.append(part.anyNumber() ? "(.|\\n)*" : "(.|\\n)");
      } else {
        expression.append('[');
        for (Interval interval : part.set()) {
          expression.append(literal(interval.first()));
          if (interval.last() > interval.first()) {
            expression.append('-').append(literal(interval.last()));
          }
        }
        expression.append(']');
      }
    }
    return expression.append('$').toString();
  }

  /** A regular expression of the same kind that matches only these names. */
  public static String regularExpressionOf(List<String> names) {
    return names.stream()
        .map(name -> name.codePoints().mapToObj(NamePattern::literal).collect(joining()))
        .collect(joining("|", "^(", ")$"));
  }

  private static String literal(int character) {
    return Character.isLetterOrDigit(character) || character == '_' || character > 127
        ? Character.toString(character)
        : "\\u%04x".formatted(character);
  }

  @Override
  public String toString() {
    return text;
  }
}
