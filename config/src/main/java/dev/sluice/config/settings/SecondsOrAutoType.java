package dev.sluice.config.settings;

import dev.sluice.config.document.Node;
import java.util.Optional;

/**
 * The shortest time of a window: a number of seconds, or the word {@code auto}. Immutable.
 *
 * @param seconds the type of the number
 */
public record SecondsOrAutoType(SecondsType seconds) implements SettingType<LeastWindowTime> {
  private static final String AUTO = "auto";

  @Override
  public String expected() {
    return seconds.expected() + "; or " + AUTO;
  }

  @Override
  public String unit() {
    return seconds.unit();
  }

  @Override
  public String range() {
    return seconds.range() + ", " + AUTO;
  }

  @Override
  public Optional<LeastWindowTime> valueOf(Node node) {
    return node instanceof Node.Text text && text.text().equals(AUTO)
        ? Optional.of(LeastWindowTime.AUTO)
        : seconds.valueOf(node).map(LeastWindowTime::of);
  }

  @Override
  public String show(LeastWindowTime value) {
    return value instanceof LeastWindowTime.Fixed fixed ? seconds.show(fixed.time()) : AUTO;
  }

  @Override
  public String written(LeastWindowTime value) {
    return value instanceof LeastWindowTime.Fixed fixed ? seconds.written(fixed.time()) : AUTO;
  }

  @Override
  public String fix(Node wrong) {
    String text = Node.scalarText(wrong);
    boolean isNumber = text != null && text.chars().anyMatch(Character::isDigit);
    return seconds.fix(wrong) + (isNumber ? "" : "; or write " + AUTO);
  }
}
