package dev.sluice.config.settings;

import java.util.Locale;

/** What is done about rows that the validation has proven to differ. */
public enum RepairPolicy {
  /** They are listed only. */
  NONE,
  /** They are written as the source has them. */
  REPAIR,
  /** The same, and rows that only the target has are deleted. */
  REPAIR_AND_DELETE_EXTRA;

  /** As a settings document has it. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
