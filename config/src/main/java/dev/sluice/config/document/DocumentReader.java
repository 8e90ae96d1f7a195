package dev.sluice.config.document;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.yaml.snakeyaml.error.MarkedYAMLException;

/**
 * Reads a JSON or YAML document into nodes with line and column. What cannot be read becomes a
 * problem. Used for one document, by one thread.
 */
public final class DocumentReader {

  private static final String TYPOGRAPHIC_QUOTES = "“”„‟‘’‚‛«»";

  private final String file;
  private final String text;
  private final boolean fragment;
  private final boolean yaml;
  private final Problems problems;

  private DocumentReader(String file, String text, boolean yaml, Problems problems) {
    this.file = file;
    this.text = text;
    this.yaml = yaml;
    this.fragment = !yaml && text.stripLeading().startsWith("\"");
    this.problems = problems;
  }

  /** Reads a file: YAML if its name ends in .yaml or .yml, else JSON. Empty after a problem. */
  public static Optional<Node> read(Path path, Problems problems) {
    String name = path.toString().toLowerCase(Locale.ROOT);
    return name.endsWith(".yaml") || name.endsWith(".yml")
        ? readYaml(path, problems)
        : content(path, problems).flatMap(text -> json(path.toString(), text, problems));
  }

  /** Reads a YAML file, whatever its name. Empty after a problem. */
  public static Optional<Node> readYaml(Path path, Problems problems) {
    return content(path, problems).flatMap(text -> yaml(path.toString(), text, problems));
  }

  private static Optional<String> content(Path path, Problems problems) {
    try {
      return Optional.of(Files.readString(path));
    } catch (NoSuchFileException e) {
      problems.add(
          new Problem(path.toString(), "no such file", "a readable file", "Correct the path"));
    } catch (CharacterCodingException e) {
      problems.add(
          new Problem(
              path.toString(), "not UTF-8 text", "a text file in UTF-8", "Save it as UTF-8"));
    } catch (IOException e) {
      problems.add(
          new Problem(
              path.toString(),
              "cannot be read (" + e.getClass().getSimpleName() + ")",
              "a readable file",
              "Check that it is a file and that you may read it"));
    }
    return Optional.empty();
  }

  /**
   * Reads JSON. Text that begins with a key ({@code "ChangeProcessingTuning": {…}}), as articles
   * print settings, is read as the content of an object. Empty after a problem.
   */
  public static Optional<Node> json(String file, String text, Problems problems) {
    return new DocumentReader(file, withoutMark(text), false, problems).read();
  }

  /** Reads YAML. Empty after a problem. */
  public static Optional<Node> yaml(String file, String text, Problems problems) {
    return new DocumentReader(file, withoutMark(text), true, problems).read();
  }

  private static String withoutMark(String text) {
    return text.startsWith("\uFEFF") ? text.substring(1) : text;
  }

  private Optional<Node> read() {
    int before = problems.count();
    try (JsonParser parser = parser()) {
      FileLocation root = new FileLocation(file, 1, 1, "");
      if (parser.nextToken() == null) {
        problems.add(root, "the document is empty", "an object", "Write the settings into it");
        return Optional.empty();
      }
      Node node = node(parser, root);
      if (parser.nextToken() != null) {
        problems.add(
            place(parser.currentTokenLocation(), root),
            "a second document starts here",
            "one document per file",
            "Remove everything after the first document");
      }
      return problems.count() == before ? Optional.of(node) : Optional.empty();
    } catch (JsonProcessingException e) {
      addSyntaxProblem(e);
    } catch (IOException e) {
      throw new IllegalStateException("BUG: reading text in memory failed", e);
    }
    return Optional.empty();
  }

  private JsonParser parser() throws IOException {
    if (yaml) {
      return new YAMLFactory().createParser(text);
    }
    return JsonFactory.builder()
        .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
        .configure(JsonReadFeature.ALLOW_TRAILING_COMMA, fragment)
        .build()
        .createParser(fragment ? "{" + text + "}" : text);
  }

  private Node node(JsonParser parser, FileLocation path) throws IOException {
    FileLocation place = place(parser.currentTokenLocation(), path);
    if (parser instanceof YAMLParser yamlParser && yamlParser.isCurrentAlias()) {
      problems.add(
          place,
          "a YAML alias (*" + parser.getText() + ")",
          "the value itself",
          "Write the value out");
      return new Node.Nothing(place);
    }
    JsonToken token = parser.currentToken();
    return switch (token) {
      case START_OBJECT -> mapping(parser, place);
      case START_ARRAY -> sequence(parser, place);
      case VALUE_STRING -> new Node.Text(place, parser.getText());
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> number(parser, place);
      case VALUE_TRUE -> new Node.Flag(place, parser.getText(), true);
      case VALUE_FALSE -> new Node.Flag(place, parser.getText(), false);
      case VALUE_NULL -> new Node.Nothing(place);
      default -> throw new IllegalStateException("BUG: unexpected token " + token + " at " + place);
    };
  }

  private Node number(JsonParser parser, FileLocation place) throws IOException {
    BigDecimal value;
    try {
      value = parser.getDecimalValue();
    } catch (JsonProcessingException | NumberFormatException e) {
      // YAML has .inf and .nan, which are read as text
      return new Node.Text(place, parser.getText());
    }
    return new Node.Number(place, parser.getText(), value);
  }

  private Node mapping(JsonParser parser, FileLocation place) throws IOException {
    List<Node.Entry> entries = new ArrayList<>();
    Map<String, FileLocation> seen = new HashMap<>();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String key = parser.currentName();
      FileLocation keyPlace = place(parser.currentTokenLocation(), place.key(key));
      FileLocation first = seen.putIfAbsent(key, keyPlace);
      if (first != null) {
        problems.add(
            keyPlace,
            "the key \"" + key + "\" occurs a second time",
            "each key once (the first is on line " + first.line() + ")",
            "Remove one of them");
      }
      parser.nextToken();
      entries.add(new Node.Entry(key, keyPlace, node(parser, place.key(key))));
    }
    return new Node.Mapping(place, List.copyOf(entries));
  }

  private Node sequence(JsonParser parser, FileLocation place) throws IOException {
    List<Node> items = new ArrayList<>();
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      items.add(node(parser, place.index(items.size())));
    }
    return new Node.Sequence(place, List.copyOf(items));
  }

  private FileLocation place(JsonLocation location, FileLocation path) {
    int line = Math.max(1, location.getLineNr());
    int column = Math.max(1, location.getColumnNr());
    // the brace that was put before a fragment is not in the user's file
    return path.at(line, fragment && line == 1 ? Math.max(1, column - 1) : column);
  }

  private void addSyntaxProblem(JsonProcessingException e) {
    JsonLocation location = e.getLocation();
    FileLocation root = new FileLocation(file, 1, 1, "");
    FileLocation place = location == null ? root : place(location, root);
    String found = typographyNear(place);
    if (found != null) {
      problems.add(
          place,
          found,
          "straight quotes (\") and plain spaces",
          "Replace all of them in the file; text copied from a web page often has them");
      return;
    }
    problems.add(
        place,
        "not readable as " + (yaml ? "YAML: " : "JSON: ") + reason(e),
        "well-formed " + (yaml ? "YAML" : "JSON"),
        "Correct the text here or just before it");
  }

  /** The parser's message without its excerpt of the file, which may hold a password. */
  private String reason(JsonProcessingException e) {
    if (e.getCause() instanceof MarkedYAMLException marked) {
      return marked.getProblem();
    }
    return yaml ? e.getClass().getSimpleName() : e.getOriginalMessage();
  }

  private String typographyNear(FileLocation place) {
    if (yaml) {
      return null;
    }
    String[] lines = text.split("\n", -1);
    if (place.line() > lines.length) {
      return null;
    }
    String line = lines[place.line() - 1];
    // the parser's position is the character or the one after it
    for (int index = Math.max(0, place.column() - 3);
        index < Math.min(line.length(), place.column() + 1);
        index++) {
      if (TYPOGRAPHIC_QUOTES.indexOf(line.charAt(index)) >= 0) {
        return "the typographic quote " + line.charAt(index);
      }
      if (line.charAt(index) == '\u00A0') {
        return "a no-break space";
      }
    }
    return null;
  }
}
