package dev.sluice.sink.control.suspension;

import java.util.Locale;

/** The state of a suspended table. */
public enum SuspensionState {
  /** It waits for the commands resume or reload. */
  SUSPENDED,
  /** Its rows are copied again, under a new snapshot. */
  RELOADING,
  /** Its missing changes are applied from the journal, until it has reached its lane. */
  CATCHING_UP;

  /** The name in the control table, such as {@code catching-up}. */
  public String text() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  static SuspensionState of(String text) {
    return valueOf(text.toUpperCase(Locale.ROOT).replace('-', '_'));
  }
}
