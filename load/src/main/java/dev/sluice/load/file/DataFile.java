package dev.sluice.load.file;

import dev.sluice.config.settings.FileFormat;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import java.util.List;

/**
 * A file of rows: its identity and what its beginning says. Immutable; holds no open file.
 *
 * @param name the path relative to the imported folder
 * @param identity shows whether it is still the same file
 * @param header the names in its first record; empty if the format has no header
 * @param firstByte offset of the first row, after a byte order mark and the header
 * @param firstLine the line of the first row
 */
public record DataFile(
    Path path,
    String name,
    FileFormat format,
    Identity identity,
    LineEnd lineEnd,
    List<String> header,
    long firstByte,
    long firstLine) {

  private static final int HEAD_BYTES = 64 * 1024;

  /**
   * Properties that change when the file changes.
   *
   * @param modified to the millisecond, which every file system and clock keeps
   * @param head a checksum of the first 64 KiB
   */
  public record Identity(long size, Instant modified, String head) {

    static Identity of(Path path) throws IOException {
      BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
      try (InputStream in = Files.newInputStream(path)) {
        return new Identity(
            attributes.size(),
            attributes.lastModifiedTime().toInstant().truncatedTo(ChronoUnit.MILLIS),
            checksum(in.readNBytes(HEAD_BYTES)));
      }
    }

    private static String checksum(byte[] bytes) {
      try {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException("BUG: every Java has SHA-256", e);
      }
    }
  }

  public DataFile {
    header = List.copyOf(header);
  }

  /**
   * Reads the beginning of a file.
   *
   * @param longestRecord maximum size of the first record in bytes
   * @throws IOException if it cannot be read, or its name ends in {@code .gz} but it is not a gzip
   *     file
   * @throws HeaderException if its header cannot be read
   */
  public static DataFile open(Path path, FileFormat format, int longestRecord) throws IOException {
    Identity identity = Identity.of(path);
    try (InputStream in = FileStream.open(path)) {
      FileHead head = FileHead.read(in, format, longestRecord);
      return new DataFile(
          path,
          path.getFileName().toString(),
          format,
          identity,
          head.lineEnd(),
          head.names(),
          head.firstByte(),
          head.firstLine());
    }
  }

  /** True if it is compressed, so that it can be read only from its beginning. */
  public boolean isPacked() {
    return FileStream.isPacked(path);
  }

  /** True if the file on disk has not changed since it was opened. */
  public boolean isUnchanged() throws IOException {
    return Identity.of(path).equals(identity);
  }

  /** Thrown if a file's header does not name columns. */
  public static final class HeaderException extends IOException {
    HeaderException(String message) {
      super(message);
    }
  }
}
