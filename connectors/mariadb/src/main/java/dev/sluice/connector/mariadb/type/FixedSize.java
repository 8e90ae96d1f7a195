package dev.sluice.connector.mariadb.type;

/** A decoder of values that all have the same number of bytes. */
abstract class FixedSize implements ValueDecoder {
  final int size;

  FixedSize(int size) {
    this.size = size;
  }

  abstract void write(byte[] log, int at, ValueText text);

  @Override
  public final int decode(byte[] log, int at, ValueText text) {
    write(log, at, text);
    return at + size;
  }

  @Override
  public final int skip(byte[] log, int at) {
    return at + size;
  }
}
