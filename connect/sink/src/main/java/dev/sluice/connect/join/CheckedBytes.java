package dev.sluice.connect.join;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * A record in a local file: numbers that describe it (8 bytes each), length (4), checksum over
 * everything (4), bytes. Reading returns what was written or throws. Immutable.
 */
public record CheckedBytes(long[] numbers, byte[] bytes) {
  private static final int AROUND = 8;

  /** The record's size in a file, in bytes. */
  public static long size(int numbers, int bytes) {
    return 8L * numbers + AROUND + bytes;
  }

  public static void write(DataOutputStream out, byte[] bytes, long... numbers) throws IOException {
    for (long number : numbers) {
      out.writeLong(number);
    }
    out.writeInt(bytes.length);
    out.writeInt(checksum(numbers, bytes));
    out.write(bytes);
  }

  /**
   * @param most the bytes left in the file, which limit the length
   * @throws EOFException at the end of the file
   * @throws IOException also if the bytes are damaged
   */
  public static CheckedBytes read(DataInputStream in, int count, long most) throws IOException {
    long[] numbers = new long[count];
    for (int i = 0; i < count; i++) {
      numbers[i] = in.readLong();
    }
    int length = in.readInt();
    int expected = in.readInt();
    if (length < 0 || length > most) {
      throw new IOException(
          "found a length of %d bytes, expected at most %d".formatted(length, most));
    }
    byte[] bytes = new byte[length];
    in.readFully(bytes);
    if (checksum(numbers, bytes) != expected) {
      throw new IOException("the checksum of %d bytes does not match".formatted(length));
    }
    return new CheckedBytes(numbers, bytes);
  }

  private static int checksum(long[] numbers, byte[] bytes) {
    CRC32C checksum = new CRC32C();
    ByteBuffer head = ByteBuffer.allocate(8 * numbers.length);
    for (long number : numbers) {
      head.putLong(number);
    }
    checksum.update(head.flip());
    checksum.update(bytes);
    return (int) checksum.getValue();
  }
}
