package dev.sluice.sink.target.control;

import java.util.Optional;

/**
 * A column of a control table. Immutable.
 *
 * @param required whether NULL is rejected
 * @param value the default in standard SQL
 * @param formerly its name in an earlier version
 */
public record ControlColumn(
    String name,
    ControlType type,
    boolean required,
    Optional<String> value,
    Optional<String> formerly) {

  public static ControlColumn required(String name, ControlType type) {
    return new ControlColumn(name, type, true, Optional.empty(), Optional.empty());
  }

  /**
   * @param value the default in standard SQL
   */
  public static ControlColumn required(String name, ControlType type, String value) {
    return new ControlColumn(name, type, true, Optional.of(value), Optional.empty());
  }

  public static ControlColumn optional(String name, ControlType type) {
    return new ControlColumn(name, type, false, Optional.empty(), Optional.empty());
  }

  /** The same column, which had another name in an earlier version. */
  public ControlColumn formerly(String earlier) {
    return new ControlColumn(name, type, required, value, Optional.of(earlier));
  }

  /** The time of the transaction that writes the row. */
  public static ControlColumn now(String name) {
    return required(name, ControlType.TIME, "CURRENT_TIMESTAMP");
  }
}
