package dev.sluice.connect.join;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Bytes in a file on local disk, behind some numbers that say what they are: numbers (8 bytes
 * each), length (4), checksum over all (4), bytes. What comes back is what was written, or an
 * exception. Immutable.
 */
public record CheckedBytes(long[] numbers, byte[] bytes) {
  private static final int AROUND = 8;

  /** What it takes in a file. */
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
   * @param most bytes that can be meant: the file has no more
   * @throws EOFException where the file ends
   * @throws IOException also where they are not what was written
   */
  public static CheckedBytes read(DataInputStream in, int count, long most) throws IOException {
    long[] numbers = new long[count];
    for (int i = 0; i < count; i++) {
      numbers[i] = in.readLong();
    }
    int length = in.readInt();
    int expected = in.readInt();
    if (length < 0 || length > most) {
      throw new IOException("a length of %d bytes is met in %d".formatted(length, most));
    }
    byte[] bytes = new byte[length];
    in.readFully(bytes);
    if (checksum(numbers, bytes) != expected) {
      throw new IOException("the checksum of %d bytes is another one".formatted(length));
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
