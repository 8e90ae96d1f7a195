package dev.sluice.engine.daemon;

/**
 * Decides from stamps when edited files are to be read again: once they stop changing. Pure. Owned
 * by the watch over the files.
 */
final class FileEdits {
  /** Stamp of the files as last read; empty at first, since they may have been edited before. */
  private String read = "";

  private String seen = "";

  /**
   * Whether the files are to be read now. A file that is being written is not read until it stays
   * the same between two calls.
   *
   * @param stamp of the files as they are
   * @param unsound whether the files had problems when they were read last
   */
  boolean areDue(String stamp, boolean unsound) {
    boolean settled = stamp.equals(seen);
    seen = stamp;
    return settled && (unsound || !stamp.equals(read));
  }

  /**
   * Records that the files were read. They are due again if they were edited meanwhile.
   *
   * @param before their stamp when they were found to be due
   * @param after their stamp after reading
   */
  void wereRead(String before, String after) {
    seen = after;
    read = after.equals(before) ? after : "";
  }
}
