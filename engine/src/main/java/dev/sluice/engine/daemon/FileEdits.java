package dev.sluice.engine.daemon;

/**
 * When files are to be read again, by their stamps: after an edit, once that is over. Pure. Owned
 * by the watch over the files.
 */
final class FileEdits {
  /** Of the files as they were read last; at first none, since they may be edited before. */
  private String read = "";

  private String seen = "";

  /**
   * Whether they are to be read now. A file that is being written is left alone until it stays the
   * same from one look to the next.
   *
   * @param stamp of the files as they are
   * @param unsound whether what was read last cannot be used
   */
  boolean areDue(String stamp, boolean unsound) {
    boolean settled = stamp.equals(seen);
    seen = stamp;
    return settled && (unsound || !stamp.equals(read));
  }

  /**
   * Notes that they were read. Where they were edited meanwhile, or name other files than before,
   * they are due again.
   *
   * @param before their stamp when they were found to be due
   * @param after their stamp by now
   */
  void wereRead(String before, String after) {
    seen = after;
    read = after.equals(before) ? after : "";
  }
}
