package dev.sluice.load.file;

import dev.sluice.config.settings.FileFormat;

/**
 * Finds where records end, byte by byte, as COPY does; what values mean is the server's business.
 * Keeps its state from one piece of a file to the next. Owned by the thread that reads the file.
 */
final class RecordScanner {
  /*
   * COPY's own rules. CSV: a quote anywhere turns quoting on or off; within quotes the escape
   * character, where it is another one, takes the quote after it away; a line break ends the record
   * outside of quotes only. Text: a backslash takes whatever follows it away, a line break too.
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
    // Where quote and escape are one character, a doubled quote turns quoting off and on again.
    this.escape = format.escape() == format.quote() ? 0 : (byte) format.escape();
    this.lineEnd = lineEnd.last();
    this.multiByte = MultiByte.of(format.encoding());
  }

  /**
   * Looks at the bytes from {@code from} on.
   *
   * @return the place behind the first record that ends before {@code to}; -1 where none does
   */
  int next(byte[] bytes, int from, int to) {
    return csv ? nextCsv(bytes, from, to) : nextText(bytes, from, to);
  }

  private int nextCsv(byte[] bytes, int from, int to) {
    boolean inQuotes = quoted;
    boolean afterEscape = escaped;
    int at = from;
    while (at < to) {
      byte met = bytes[at++];
      if (met < 0 || skip > 0) {
        if (multiByte != MultiByte.PLAIN && isInCharacter(met)) {
          afterEscape = false;
          continue;
        }
      }
      if (inQuotes) {
        if (escape != 0 && met == escape) {
          // An escape that is escaped escapes nothing.
          boolean wasEscaped = afterEscape;
          afterEscape = !wasEscaped;
          continue;
        }
        if (met == quote && !afterEscape) {
          inQuotes = false;
        } else if (met == lineEnd) {
          lines++;
          quotedBreaks++;
        }
        afterEscape = false;
      } else if (met == quote) {
        inQuotes = true;
        afterEscape = false;
      } else if (met == lineEnd) {
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
      byte met = bytes[at++];
      if (met < 0 || skip > 0) {
        if (multiByte != MultiByte.PLAIN && isInCharacter(met)) {
          afterEscape = false;
          continue;
        }
      }
      if (met == lineEnd) {
        lines++;
        if (!afterEscape) {
          escaped = false;
          return at;
        }
        afterEscape = false;
      } else {
        afterEscape = met == '\\' && !afterEscape;
      }
    }
    escaped = afterEscape;
    return -1;
  }

  /** Whether the byte belongs to a character of several bytes. */
  private boolean isInCharacter(byte met) {
    int value = met & 0xFF;
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

  /** Line breaks so far, also those within values. */
  long lines() {
    return lines;
  }

  /** Those of them that stood in quotes: COPY counts them as lines as well. */
  long quotedBreaks() {
    return quotedBreaks;
  }

  /** Whether a quote is still open. */
  boolean isInQuotes() {
    return quoted;
  }
}
