package dev.sluice.engine.command;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** The last line of a record: the SHA-256 of all lines before it. Stateless. */
final class RecordChecksum {
  private static final String NAME = "sha256: ";
  private static final int LINE = NAME.length() + 64 + 1;
  private static final int BLOCK = 1 << 16;

  private RecordChecksum() {}

  /** Whether the file ends with its checksum. */
  static boolean isRight(Path file) throws IOException {
    try (RandomAccessFile input = new RandomAccessFile(file.toFile(), "r")) {
      long left = input.length() - LINE;
      if (left < 0) {
        return false;
      }
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      byte[] block = new byte[BLOCK];
      while (left > 0) {
        int length = (int) Math.min(BLOCK, left);
        input.readFully(block, 0, length);
        digest.update(block, 0, length);
        left -= length;
      }
      byte[] last = new byte[LINE];
      input.readFully(last);
      String wanted = NAME + HexFormat.of().formatHex(digest.digest()) + "\n";
      return wanted.equals(new String(last, StandardCharsets.US_ASCII));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("BUG: no SHA-256", e);
    }
  }
}
