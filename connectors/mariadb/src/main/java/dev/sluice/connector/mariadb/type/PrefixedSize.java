package dev.sluice.connector.mariadb.type;

/** A decoder of values whose length stands before them. */
abstract class PrefixedSize implements ValueDecoder {
  private final int lengthBytes;

  /**
   * @param lengthBytes the bytes of the length, 1 to 4
   */
  PrefixedSize(int lengthBytes) {
    this.lengthBytes = lengthBytes;
  }

  abstract void write(byte[] log, int from, int length, ValueText text);

  @Override
  public final int decode(byte[] log, int at, ValueText text) {
    int length = (int) LogNumber.unsigned(log, at, lengthBytes);
    write(log, at + lengthBytes, length, text);
    return at + lengthBytes + length;
  }

  @Override
  public final int skip(byte[] log, int at) {
    return at + lengthBytes + (int) LogNumber.unsigned(log, at, lengthBytes);
  }

  /** The bytes of the length before a value that has so many bytes at most. */
  static int lengthBytes(int longest) {
    return longest > 255 ? 2 : 1;
  }
}
