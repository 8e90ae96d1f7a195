package dev.sluice.engine.validate.session;

/**
 * A column that is not compared. Immutable.
 *
 * @param column its name on the side that has it
 */
public record UncomparedColumn(String column, Why why) {

  /** Why it is not compared. */
  public enum Why {
    /** Only the target has it, a before image among them. */
    ONLY_ON_TARGET,
    /** The source has it, and a rule or an earlier definition keeps it off the target. */
    ONLY_ON_SOURCE,
    /** It is computed from values that are cut on the target. */
    COMPUTED_FROM_CUT_VALUES
  }
}
