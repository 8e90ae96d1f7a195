package dev.sluice.sink.target.control;

import java.util.Optional;

/**
 * A column of a control table. Immutable.
 *
 * @param required whether NULL is rejected
 * @param value the default in standard SQL
 */
public record ControlColumn(
    String name, ControlType type, boolean required, Optional<String> value) {

  public static ControlColumn required(String name, ControlType type) {
    return new ControlColumn(name, type, true, Optional.empty());
  }

  /**
   * @param value the default in standard SQL
   */
  public static ControlColumn required(String name, ControlType type, String value) {
    return new ControlColumn(name, type, true, Optional.of(value));
  }

  public static ControlColumn optional(String name, ControlType type) {
    return new ControlColumn(name, type, false, Optional.empty());
  }

  /** The time of the transaction that writes the row. */
  public static ControlColumn now(String name) {
    return required(name, ControlType.TIME, "CURRENT_TIMESTAMP");
  }
}
