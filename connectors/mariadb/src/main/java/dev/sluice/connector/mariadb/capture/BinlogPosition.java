package dev.sluice.connector.mariadb.capture;

import dev.sluice.connector.api.Position;

/**
 * A place between two transactions of the binary log: the number of a file and an offset there. As
 * a {@link Position} it has the file's number in the upper half; in the lower half the offset, and
 * below it a number that orders what the task itself journals at that place, such as fences, behind
 * the transaction that ends there. Immutable.
 *
 * @param file the number at the end of the file's name, from 1
 * @param offset in bytes, below 4 GiB
 */
public record BinlogPosition(long file, long offset) implements Comparable<BinlogPosition> {
  /** Where the first event of a file begins. */
  public static final long FIRST_EVENT = 4;

  /** The highest offset that a server can be asked to send its log from. */
  static final long LARGEST_OFFSET = 0xFFFF_FFFFL;

  private static final long MASK = 0xFFFF_FFFFL;

  public BinlogPosition {
    if (file < 0 || offset < 0 || offset > MASK) {
      throw new IllegalArgumentException(
          "BUG: no place of a binary log: file " + file + ", offset " + offset);
    }
  }

  /** The place of a position. */
  public static BinlogPosition of(Position position) {
    return new BinlogPosition(position.high(), position.low() >>> 32);
  }

  /**
   * The place by a file's name.
   *
   * @param name such as {@code binlog.000012}
   * @throws IllegalArgumentException if the name has no number
   */
  public static BinlogPosition of(String name, long offset) {
    String number = name.substring(name.lastIndexOf('.') + 1);
    if (!name.contains(".") || !number.matches("[0-9]{1,18}")) {
      throw new IllegalArgumentException("not a file of a binary log: '" + name + "'");
    }
    return new BinlogPosition(Long.parseLong(number), offset);
  }

  /** The position of the transaction that ends here. */
  public Position position() {
    return new Position(file, offset << 32);
  }

  /**
   * A position behind the transaction that ends here, and before the next one.
   *
   * @param number from 1
   */
  Position position(long number) {
    return new Position(file, offset << 32 | number & MASK);
  }

  /** The number of a position behind a transaction; 0 for the transaction's own. */
  static long numberOf(Position position) {
    return position.low() & MASK;
  }

  /**
   * The name of the file.
   *
   * @param base the name without the number, such as {@code binlog}
   */
  public String fileName(String base) {
    return "%s.%06d".formatted(base, file);
  }

  @Override
  public int compareTo(BinlogPosition other) {
    return position().compareTo(other.position());
  }

  /** For people: {@code 000012:420}. */
  @Override
  public String toString() {
    return "%06d:%d".formatted(file, offset);
  }
}
