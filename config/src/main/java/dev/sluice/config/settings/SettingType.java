package dev.sluice.config.settings;

import dev.sluice.config.document.NearestName;
import dev.sluice.config.document.Node;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The type of a setting's values: unit, range, and how values are parsed and printed. The javadoc
 * of each record names the Java type of its values. Immutable.
 */
public sealed interface SettingType {

  /** For a message, after "expected". */
  String expected();

  /** The unit for the settings page; empty if there is none. */
  String unit();

  /** The range for the settings page. */
  String range();

  /** The value of a node; empty if the node has another type or is out of range. */
  Optional<Object> valueOf(Node node);

  /** The value for people, with its unit. */
  String show(Object value);

  /** The value in the syntax of a document or property, without unit. */
  default String written(Object value) {
    return value.toString();
  }

  /** The fix for a wrong node. */
  String fix(Node wrong);

  /** {@code Boolean}. */
  record Switch() implements SettingType {
    @Override
    public String expected() {
      return "true or false";
    }

    @Override
    public String unit() {
      return "";
    }

    @Override
    public String range() {
      return "true, false";
    }

    @Override
    public Optional<Object> valueOf(Node node) {
      return node instanceof Node.Flag flag ? Optional.of(flag.value()) : Optional.empty();
    }

    @Override
    public String show(Object value) {
      return value.toString();
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
   * {@code Integer}.
   *
   * @param unit what is counted, in the plural
   */
  record Count(String unit, int least, int most) implements SettingType {
    @Override
    public String expected() {
      return "a whole number of " + unit + " from " + range();
    }

    @Override
    public String range() {
      return NumberRange.of(least, most);
    }

    @Override
    public Optional<Object> valueOf(Node node) {
      return NumberRange.number(node, least, most)
          .filter(NumberRange::isWhole)
          .map(BigDecimal::intValueExact);
    }

    @Override
    public String show(Object value) {
      return value + " " + unit;
    }

    @Override
    public String fix(Node wrong) {
      return NumberRange.fix(wrong, least, most, true, Map.of());
    }
  }

  /** {@code Duration}; fractions down to the nanosecond. */
  record Seconds(BigDecimal least, BigDecimal most) implements SettingType {
    private static final Map<String, String> SECONDS_IN =
        Map.of(
            "ms", "0.001", "s", "1", "sec", "1", "second", "1", "seconds", "1", "m", "60", "min",
            "60", "minutes", "60", "h", "3600");

    @Override
    public String expected() {
      return "a number of seconds from " + range() + "; fractions are allowed";
    }

    @Override
    public String unit() {
      return "s";
    }

    @Override
    public String range() {
      return NumberRange.of(least, most);
    }

    @Override
    public Optional<Object> valueOf(Node node) {
      return NumberRange.number(node, least, most)
          .map(seconds -> Duration.ofNanos(seconds.movePointRight(9).longValue()));
    }

    @Override
    public String show(Object value) {
      return text((Duration) value);
    }

    @Override
    public String written(Object value) {
      return number((Duration) value);
    }

    static String text(Duration duration) {
      return number(duration) + " s";
    }

    private static String number(Duration duration) {
      return BigDecimal.valueOf(duration.toNanos(), 9).stripTrailingZeros().toPlainString();
    }

    @Override
    public String fix(Node wrong) {
      return NumberRange.fix(wrong, least, most, false, SECONDS_IN);
    }
  }

  /** {@code DataSize}, written as a whole number of MB (1024 x 1024 bytes, as DMS counts). */
  record Megabytes(int least, int most) implements SettingType {
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
    public Optional<Object> valueOf(Node node) {
      return NumberRange.number(node, least, most)
          .filter(NumberRange::isWhole)
          .map(megabytes -> DataSize.ofMebibytes(megabytes.longValueExact()));
    }

    @Override
    public String show(Object value) {
      return written(value) + " MB";
    }

    @Override
    public String written(Object value) {
      return Long.toString(((DataSize) value).bytes() / BYTES);
    }

    @Override
    public String fix(Node wrong) {
      return NumberRange.fix(wrong, least, most, true, MEGABYTES_IN);
    }
  }

  /** {@code String}, one of a closed set. */
  record Choice(List<String> allowed) implements SettingType {
    @Override
    public String expected() {
      return "one of: " + String.join(", ", allowed);
    }

    @Override
    public String unit() {
      return "";
    }

    @Override
    public String range() {
      return String.join(", ", allowed);
    }

    @Override
    public Optional<Object> valueOf(Node node) {
      return node instanceof Node.Text text && allowed.contains(text.text())
          ? Optional.of(text.text())
          : Optional.empty();
    }

    @Override
    public String show(Object value) {
      return value.toString();
    }

    @Override
    public String fix(Node wrong) {
      String text = Node.scalarText(wrong);
      return text == null ? "Write one of the names" : NearestName.fix(text, allowed);
    }
  }

  /**
   * {@code String}.
   *
   * @param content what the text is, such as "a schema name"
   */
  record FreeText(String content) implements SettingType {
    @Override
    public String expected() {
      return content + ", as a text in quotes";
    }

    @Override
    public String unit() {
      return "";
    }

    @Override
    public String range() {
      return content;
    }

    @Override
    public Optional<Object> valueOf(Node node) {
      return node instanceof Node.Text text ? Optional.of(text.text()) : Optional.empty();
    }

    @Override
    public String show(Object value) {
      return value.toString().isEmpty() ? "(empty)" : value.toString();
    }

    @Override
    public String fix(Node wrong) {
      String text = Node.scalarText(wrong);
      return text == null ? "Write one text in quotes" : "Write \"" + text + "\" in quotes";
    }
  }

  /** {@code Node}: a value of DMS that has no meaning here; read and reported, never used. */
  record Anything() implements SettingType {
    @Override
    public String expected() {
      return "any value";
    }

    @Override
    public String unit() {
      return "";
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
