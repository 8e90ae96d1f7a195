package dev.sluice.config.settings;

import dev.sluice.config.document.NearestName;
import dev.sluice.config.document.Node;
import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The type of a setting's values: unit, range, and how values are parsed and printed. Immutable.
 *
 * @param <T> the Java type of the values
 */
public sealed interface SettingType<T>
    permits SettingType.Switch,
        SettingType.Count,
        SecondsType,
        SecondsOrAutoType,
        SettingType.Megabytes,
        SettingType.Choice,
        SettingType.FreeText,
        SettingType.OptionalText,
        SettingType.Anything {

  /** For a message, after "expected". */
  String expected();

  /** The unit for the settings page; empty if there is none. */
  default String unit() {
    return "";
  }

  /** The range for the settings page. */
  String range();

  /** The value of a node; empty if the node has another type or is out of range. */
  Optional<T> valueOf(Node node);

  /** The value for people, with its unit. */
  default String show(T value) {
    return unit().isEmpty() ? written(value) : written(value) + " " + unit();
  }

  /** The value in the syntax of a document or property, without unit. */
  default String written(T value) {
    return value.toString();
  }

  /** The fix for a wrong node. */
  String fix(Node wrong);

  /** True or false. */
  record Switch() implements SettingType<Boolean> {
    @Override
    public String expected() {
      return "true or false";
    }

    @Override
    public String range() {
      return "true, false";
    }

    @Override
    public Optional<Boolean> valueOf(Node node) {
      return node instanceof Node.Flag flag ? Optional.of(flag.value()) : Optional.empty();
    }

    @Override
    public String fix(Node wrong) {
      String text = Node.scalarText(wrong);
      if (text == null) {
        return "Write true or false";
      }
      return switch (text.toLowerCase(Locale.ROOT)) {
        case "true", "yes", "on", "1" -> "Write true, without quotes";
        case "false", "no", "off", "0" -> "Write false, without quotes";
        default -> "Write true or false, without quotes";
      };
    }
  }

  /**
   * A whole number.
   *
   * @param unit what is counted, in the plural
   */
  record Count(String unit, int least, int most) implements SettingType<Integer> {
    @Override
    public String expected() {
      return "a whole number of " + unit + " from " + range();
    }

    @Override
    public String range() {
      return NumberRange.of(least, most);
    }

    @Override
    public Optional<Integer> valueOf(Node node) {
      return NumberRange.number(node, least, most)
          .filter(NumberRange::isWhole)
          .map(BigDecimal::intValueExact);
    }

    @Override
    public String fix(Node wrong) {
      return NumberRange.fix(wrong, least, most, true, Map.of());
    }
  }

  /** A whole number of MB (1024 x 1024 bytes, as DMS counts). */
  record Megabytes(int least, int most) implements SettingType<DataSize> {
    private static final Map<String, String> MEGABYTES_IN =
        Map.of("mb", "1", "mib", "1", "m", "1", "gb", "1024", "gib", "1024", "g", "1024");
    private static final long BYTES = 1024L * 1024L;

    @Override
    public String expected() {
      return "a whole number of megabytes from " + range();
    }

    @Override
    public String unit() {
      return "MB";
    }

    @Override
    public String range() {
      return NumberRange.of(least, most);
    }

    @Override
    public Optional<DataSize> valueOf(Node node) {
      return NumberRange.number(node, least, most)
          .filter(NumberRange::isWhole)
          .map(megabytes -> DataSize.ofMebibytes(megabytes.longValueExact()));
    }

    @Override
    public String written(DataSize value) {
      return Long.toString(value.bytes() / BYTES);
    }

    @Override
    public String fix(Node wrong) {
      return NumberRange.fix(wrong, least, most, true, MEGABYTES_IN);
    }
  }

  /** One of a closed set, by its text. */
  record Choice<T>(List<T> values) implements SettingType<T> {
    public Choice {
      values = List.copyOf(values);
    }

    List<String> allowed() {
      return values.stream().map(Object::toString).toList();
    }

    @Override
    public String expected() {
      return "one of: " + range();
    }

    @Override
    public String range() {
      return String.join(", ", allowed());
    }

    @Override
    public Optional<T> valueOf(Node node) {
      return node instanceof Node.Text text
          ? values.stream().filter(value -> value.toString().equals(text.text())).findFirst()
          : Optional.empty();
    }

    @Override
    public String fix(Node wrong) {
      String text = Node.scalarText(wrong);
      return text == null ? "Write one of the names" : NearestName.fix(text, allowed());
    }
  }

  /**
   * A text.
   *
   * @param content what the text is, such as "a schema name"
   */
  record FreeText(String content) implements SettingType<String> {
    @Override
    public String expected() {
      return content + ", as a text in quotes";
    }

    @Override
    public String range() {
      return content;
    }

    @Override
    public Optional<String> valueOf(Node node) {
      return node instanceof Node.Text text ? Optional.of(text.text()) : Optional.empty();
    }

    @Override
    public String show(String value) {
      return value.isEmpty() ? "(empty)" : value;
    }

    @Override
    public String fix(Node wrong) {
      String text = Node.scalarText(wrong);
      return text == null ? "Write one text in quotes" : "Write \"" + text + "\" in quotes";
    }
  }

  /**
   * A text that may be missing; the empty text is no value.
   *
   * @param text of the text that is there
   */
  record OptionalText(FreeText text) implements SettingType<Optional<String>> {
    @Override
    public String expected() {
      return text.expected();
    }

    @Override
    public String unit() {
      return text.unit();
    }

    @Override
    public String range() {
      return text.range();
    }

    @Override
    public Optional<Optional<String>> valueOf(Node node) {
      return text.valueOf(node).map(value -> Optional.of(value).filter(given -> !given.isEmpty()));
    }

    @Override
    public String show(Optional<String> value) {
      return text.show(value.orElse(""));
    }

    @Override
    public String written(Optional<String> value) {
      return value.orElse("");
    }

    @Override
    public String fix(Node wrong) {
      return text.fix(wrong);
    }
  }

  /** A node of the document: a value of DMS that has no meaning here, which is only reported. */
  record Anything() implements SettingType<Object> {
    @Override
    public String expected() {
      return "any value";
    }

    @Override
    public String range() {
      return "any";
    }

    @Override
    public Optional<Object> valueOf(Node node) {
      return Optional.of(node);
    }

    @Override
    public String show(Object value) {
      return value instanceof Node node ? node.shown() : value.toString();
    }

    @Override
    public String fix(Node wrong) {
      return "";
    }
  }
}
