package dev.sluice.connector.mariadb.capture.stream;

import dev.sluice.config.document.SluiceException;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * Decompresses parts of events that the server compressed ({@code log_bin_compress}): a byte whose
 * three lowest bits are the length of the size, the size with its highest byte first, then zlib's
 * format. Stateless.
 */
public final class Compressed {
  private static final int ALGORITHM = 0xF8;
  private static final int ZLIB = 0x80;

  private Compressed() {}

  /** The rest of the bytes, decompressed. */
  public static LogBytes inflate(LogBytes bytes) {
    int first = bytes.next();
    if ((first & ALGORITHM) != ZLIB) {
      throw new SluiceException.Fatal(
          "the binary log has an event with compression %d; expected zlib".formatted(first), null);
    }
    int size = 0;
    for (int left = first & 7; left > 0; left--) {
      size = size << 8 | bytes.next();
    }
    Inflater inflater = new Inflater();
    try {
      inflater.setInput(bytes.array(), bytes.at(), bytes.end() - bytes.at());
      byte[] inflated = new byte[size];
      int done = 0;
      while (done < size) {
        int some = inflater.inflate(inflated, done, size - done);
        if (some == 0) {
          throw new DataFormatException(done + " of " + size + " bytes");
        }
        done += some;
      }
      return new LogBytes(inflated, 0, size);
    } catch (DataFormatException e) {
      throw new SluiceException.Fatal(
          "the binary log has a compressed event that cannot be read: " + e.getMessage(), e);
    } finally {
      inflater.end();
    }
  }
}
