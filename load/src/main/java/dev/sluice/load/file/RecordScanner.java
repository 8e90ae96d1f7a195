package dev.sluice.load.file;

import dev.sluice.config.settings.FileFormat;

/**
 * Finds the ends of records byte by byte, by the rules of COPY; it does not interpret values. It
 * keeps its state from one piece of a file to the next. Owned by the thread that reads the file.
 */
final class RecordScanner {
  /*
   * COPY's rules. CSV: a quote anywhere turns quoting on or off; within quotes an escape character
   * other than the quote escapes a following quote; a line break ends the record only outside
   * quotes. Text: a backslash escapes the next character, also a line break.
   */
  private final boolean csv;
  private final byte quote;
  private final byte escape;
  private final byte lineEnd;
  private final MultiByte multiByte;

  private boolean quoted;
  private boolean escaped;
  private int skip;
  private boolean second;
  private long lines;
  private long quotedBreaks;

  RecordScanner(FileFormat format, LineEnd lineEnd) {
    this.csv = format.kind() == FileFormat.Kind.CSV;
    this.quote = (byte) format.quote();
    // If quote and escape are the same character, a doubled quote turns quoting off and on again.
    this.escape = format.escape() == format.quote() ? 0 : (byte) format.escape();
    this.lineEnd = lineEnd.last();
    this.multiByte = MultiByte.of(format.encoding());
  }

  /**
   * Scans the bytes from {@code from} on.
   *
   * @return the offset after the first record that ends before {@code to}; -1 if none does
   */
  int next(byte[] bytes, int from, int to) {
    return csv ? nextCsv(bytes, from, to) : nextText(bytes, from, to);
  }

  private int nextCsv(byte[] bytes, int from, int to) {
    boolean inQuotes = quoted;
    boolean afterEscape = escaped;
    int at = from;
    while (at < to) {
      byte current = bytes[at++];
      if (current < 0 || skip > 0) {
        if (multiByte != MultiByte.PLAIN && isInCharacter(current)) {
          afterEscape = false;
          continue;
        }
      }
      if (inQuotes) {
        if (escape != 0 && current == escape) {
          // An escaped escape character escapes nothing.
          boolean wasEscaped = afterEscape;
          afterEscape = !wasEscaped;
          continue;
        }
        if (current == quote && !afterEscape) {
          inQuotes = false;
        } else if (current == lineEnd) {
          lines++;
          quotedBreaks++;
        }
        afterEscape = false;
      } else if (current == quote) {
        inQuotes = true;
        afterEscape = false;
      } else if (current == lineEnd) {
        lines++;
        quoted = false;
        escaped = false;
        return at;
      }
    }
    quoted = inQuotes;
    escaped = afterEscape;
    return -1;
  }

  private int nextText(byte[] bytes, int from, int to) {
    boolean afterEscape = escaped;
    int at = from;
    while (at < to) {
      byte current = bytes[at++];
      if (current < 0 || skip > 0) {
        if (multiByte != MultiByte.PLAIN && isInCharacter(current)) {
          afterEscape = false;
          continue;
        }
      }
      if (current == lineEnd) {
        lines++;
        if (!afterEscape) {
          escaped = false;
          return at;
        }
        afterEscape = false;
      } else {
        afterEscape = current == '\\' && !afterEscape;
      }
    }
    escaped = afterEscape;
    return -1;
  }

  /** True if the byte belongs to a character of several bytes. */
  private boolean isInCharacter(byte current) {
    int value = current & 0xFF;
    if (skip > 0) {
      skip--;
      if (second) {
        second = false;
        skip += multiByte.afterSecond(value);
      }
      return true;
    }
    skip = multiByte.after(value);
    second = skip > 0;
    return true;
  }

  /** The number of line breaks so far, including those within values. */
  long lines() {
    return lines;
  }

  /** The number of line breaks within quotes: COPY counts them as lines as well. */
  long quotedBreaks() {
    return quotedBreaks;
  }

  /** True if a quote is still open. */
  boolean isInQuotes() {
    return quoted;
  }
}
