package dev.sluice.engine.validate.continuous;

/** The validation state of a table, by DMS's names. */
public enum DmsState {
  PENDING_VALIDATION("Pending validation"),
  PENDING_RECORDS("Pending records"),
  MISMATCHED_RECORDS("Mismatched records"),
  SUSPENDED_RECORDS("Suspended records"),
  NO_PRIMARY_KEY("No primary key"),
  TABLE_ERROR("Table error"),
  VALIDATED("Validated"),
  PENDING_REVALIDATION("Pending revalidation");

  private final String text;

  DmsState(String text) {
    this.text = text;
  }

  /** For status and metrics. */
  public String text() {
    return text;
  }
}
