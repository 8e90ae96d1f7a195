package dev.sluice.config.mappings;

/**
 * The target's schema with the record of a cutover. It is separate from the control schema, which
 * can be deleted after the cutover.
 */
public final class CutoverRecord {
  public static final String SCHEMA = "sluice_cutover";

  private CutoverRecord() {}
}
