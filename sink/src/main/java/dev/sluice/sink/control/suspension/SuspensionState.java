package dev.sluice.sink.control.suspension;

import java.util.Locale;

/** What becomes of a table that the main stream passes over. */
public enum SuspensionState {
  /** Nothing, until a user gives an order. */
  SUSPENDED,
  /** Its rows are copied anew, under a snapshot of their own. */
  RELOADING,
  /** The changes that it lacks are applied from the journal, up to where the main stream is. */
  CATCHING_UP;

  /** As the control table has it: {@code catching-up}. */
  public String text() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  static SuspensionState of(String text) {
    return valueOf(text.toUpperCase(Locale.ROOT).replace('-', '_'));
  }
}
