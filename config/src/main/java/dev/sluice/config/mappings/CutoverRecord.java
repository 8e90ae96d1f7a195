package dev.sluice.config.mappings;

/**
 * Where a target remembers that applications were switched to it. It is a schema of its own, so
 * that it outlives the control schema, whatever that is called.
 */
public final class CutoverRecord {
  public static final String SCHEMA = "sluice_cutover";

  private CutoverRecord() {}
}
