package dev.sluice.load.file;

/** What ends a record; a file has one of the two, as COPY wants it. */
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
