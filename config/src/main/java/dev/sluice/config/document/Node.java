package dev.sluice.config.document;

import java.math.BigDecimal;
import java.util.List;
import java.util.Objects;

/** One value of a JSON or YAML document with its location. Immutable. */
public sealed interface Node {

  int LONGEST_SHOWN = 80;

  FileLocation place();

  /** The value for a message; only for values that cannot be secret. */
  String shown();

  /** The type of the value, for messages about values that may be secret. */
  String kind();

  record Entry(String key, FileLocation place, Node value) {}

  record Mapping(FileLocation place, List<Entry> entries) implements Node {
    @Override
    public String shown() {
      return kind();
    }

    @Override
    public String kind() {
      return "an object";
    }
  }

  record Sequence(FileLocation place, List<Node> items) implements Node {
    @Override
    public String shown() {
      return kind();
    }

    @Override
    public String kind() {
      return "a list";
    }
  }

  record Text(FileLocation place, String text) implements Node {
    @Override
    public String shown() {
      String shortened =
          text.length() <= LONGEST_SHOWN ? text : text.substring(0, LONGEST_SHOWN) + "…";
      return "the text \"" + shortened + "\"";
    }

    @Override
    public String kind() {
      return "a text";
    }
  }

  /**
   * @param text as written, so that a password of digits keeps its leading zeros
   */
  record Number(FileLocation place, String text, BigDecimal value) implements Node {
    @Override
    public String shown() {
      return text;
    }

    @Override
    public String kind() {
      return "a number";
    }
  }

  record Flag(FileLocation place, String text, boolean value) implements Node {
    @Override
    public String shown() {
      return text;
    }

    @Override
    public String kind() {
      return "true or false";
    }
  }

  record Nothing(FileLocation place) implements Node {
    @Override
    public String shown() {
      return kind();
    }

    @Override
    public String kind() {
      return "no value";
    }
  }

  /** The value as written; null for a list, an object or no value. */
  static String scalarText(Node node) {
    Objects.requireNonNull(node, "node");
    if (node instanceof Text text) {
      return text.text();
    }
    if (node instanceof Number number) {
      return number.text();
    }
    return node instanceof Flag flag ? flag.text() : null;
  }
}
