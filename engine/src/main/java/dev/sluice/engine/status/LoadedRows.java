package dev.sluice.engine.status;

/** Rows that full loads have copied, and their bytes. Immutable. */
public record LoadedRows(long rows, long bytes) {
  public static final LoadedRows NONE = new LoadedRows(0, 0);

  public LoadedRows plus(long moreRows, long moreBytes) {
    return new LoadedRows(rows + moreRows, bytes + moreBytes);
  }
}
