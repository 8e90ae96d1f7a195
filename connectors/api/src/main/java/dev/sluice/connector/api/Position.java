package dev.sluice.connector.api;

/**
 * A position in the source's log: the end LSN of a transaction's commit record, or the LSN of a
 * message outside a transaction. Compared as unsigned numbers. Immutable.
 *
 * @param lsn PostgreSQL's log sequence number, unsigned
 */
public record Position(long lsn) implements Comparable<Position> {

  /** Before everything. */
  public static final Position ZERO = new Position(0);

  /**
   * Parses PostgreSQL's text form, {@code 16/B374D848}.
   *
   * @throws IllegalArgumentException if the text does not have this form
   */
  public static Position parse(String text) {
    int slash = text.indexOf('/');
    if (slash < 1 || slash > 8 || text.length() - slash - 1 < 1 || text.length() - slash > 9) {
      throw new IllegalArgumentException("not a log position: '" + text + "', expected XXX/XXX");
    }
    try {
      long high = Long.parseLong(text, 0, slash, 16);
      long low = Long.parseLong(text, slash + 1, text.length(), 16);
      return new Position(high << 32 | low);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("not a log position: '" + text + "', expected XXX/XXX", e);
    }
  }

  public boolean isAfter(Position other) {
    return compareTo(other) > 0;
  }

  public Position max(Position other) {
    return isAfter(other) ? this : other;
  }

  @Override
  public int compareTo(Position other) {
    return Long.compareUnsigned(lsn, other.lsn);
  }

  /** PostgreSQL's text form. */
  @Override
  public String toString() {
    return Long.toHexString(lsn >>> 32).toUpperCase(java.util.Locale.ROOT)
        + "/"
        + Long.toHexString(lsn & 0xFFFFFFFFL).toUpperCase(java.util.Locale.ROOT);
  }
}
