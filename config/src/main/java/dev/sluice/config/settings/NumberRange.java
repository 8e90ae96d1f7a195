package dev.sluice.config.settings;

import dev.sluice.config.document.Node;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Checks numbers against a range and proposes a fix for wrong ones. Stateless. */
final class NumberRange {
  private static final Pattern WITH_UNIT = Pattern.compile("\\s*(-?[0-9.]+)\\s*([A-Za-z]*)\\s*");

  private NumberRange() {}

  static String of(int least, int most) {
    return of(BigDecimal.valueOf(least), BigDecimal.valueOf(most));
  }

  static String of(BigDecimal least, BigDecimal most) {
    return least.toPlainString() + " to " + most.toPlainString();
  }

  static boolean isWhole(BigDecimal value) {
    return value.stripTrailingZeros().scale() <= 0;
  }

  static Optional<BigDecimal> number(Node node, long least, long most) {
    return number(node, BigDecimal.valueOf(least), BigDecimal.valueOf(most));
  }

  static Optional<BigDecimal> number(Node node, BigDecimal least, BigDecimal most) {
    return node instanceof Node.Number number
            && number.value().compareTo(least) >= 0
            && number.value().compareTo(most) <= 0
        ? Optional.of(number.value())
        : Optional.empty();
  }

  static String fix(Node wrong, long least, long most, boolean whole, Map<String, String> units) {
    return fix(wrong, BigDecimal.valueOf(least), BigDecimal.valueOf(most), whole, units);
  }

  /** The fix for a wrong value; a number with a unit is converted: {@code "2GB"} becomes 2048. */
  static String fix(
      Node wrong, BigDecimal least, BigDecimal most, boolean whole, Map<String, String> units) {
    if (wrong instanceof Node.Number number) {
      if (number.value().compareTo(least) < 0) {
        return "Raise it to " + least.toPlainString() + " or more";
      }
      if (number.value().compareTo(most) > 0) {
        return "Lower it to " + most.toPlainString() + " or less";
      }
      return "Write a number without a fraction";
    }
    String plain = "Write a plain number, without quotes and without a unit";
    String text = Node.scalarText(wrong);
    Matcher matcher = WITH_UNIT.matcher(text == null ? "" : text);
    if (!matcher.matches()) {
      return plain;
    }
    String unit = matcher.group(2).toLowerCase(Locale.ROOT);
    String factor = unit.isEmpty() ? "1" : units.get(unit);
    if (factor == null) {
      return plain;
    }
    BigDecimal value;
    try {
      value = new BigDecimal(matcher.group(1)).multiply(new BigDecimal(factor));
    } catch (NumberFormatException e) {
      return plain;
    }
    BigDecimal written = whole ? value.setScale(0, RoundingMode.CEILING) : value;
    return written.compareTo(least) < 0 || written.compareTo(most) > 0
        ? plain
        : "Write "
            + written.stripTrailingZeros().toPlainString()
            + ", without quotes and without a unit";
  }
}
