package dev.sluice.load.file;

/** The line break after a record. COPY requires the same one in a whole file. */
public enum LineEnd {
  /** A line feed, with or without a carriage return before it. */
  LINE_FEED('\n'),
  CARRIAGE_RETURN('\r');

  private final byte last;

  LineEnd(char last) {
    this.last = (byte) last;
  }

  byte last() {
    return last;
  }
}
