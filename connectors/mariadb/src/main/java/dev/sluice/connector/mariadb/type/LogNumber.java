package dev.sluice.connector.mariadb.type;

/** Integers in the bytes of the binary log. Stateless. */
public final class LogNumber {
  private LogNumber() {}

  /** An integer whose lowest byte comes first, as most are. */
  public static long unsigned(byte[] log, int at, int bytes) {
    long number = 0;
    for (int i = bytes - 1; i >= 0; i--) {
      number = number << 8 | log[at + i] & 0xFF;
    }
    return number;
  }

  /** The same with a sign. */
  static long signed(byte[] log, int at, int bytes) {
    int unused = 64 - 8 * bytes;
    return unsigned(log, at, bytes) << unused >> unused;
  }

  /** An integer whose highest byte comes first, as in times and decimals. */
  static long bigEndian(byte[] log, int at, int bytes) {
    long number = 0;
    for (int i = 0; i < bytes; i++) {
      number = number << 8 | log[at + i] & 0xFF;
    }
    return number;
  }
}
