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
 * A file of rows as its beginning tells it. Immutable; holds nothing open.
 *
 * @param name relative to the folder that is imported
 * @param identity what tells whether it is still the same file
 * @param header the names in its first record; empty where the format has none
 * @param firstByte where the first row begins, behind a byte order mark and the header
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
   * What changes when a file does.
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
   * Looks at the beginning of a file.
   *
   * @param longestRecord bytes that the first record may have
   * @throws IOException where it cannot be read, or is no gzip file though its name ends so
   * @throws HeaderException where its header cannot be read
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

  /** Whether it is packed, so that it can only be read from its beginning. */
  public boolean isPacked() {
    return FileStream.isPacked(path);
  }

  /** Whether it is on disk as it was when it was opened. */
  public boolean isUnchanged() throws IOException {
    return Identity.of(path).equals(identity);
  }

  /** A file's header that names no columns. */
  public static final class HeaderException extends IOException {
    HeaderException(String message) {
      super(message);
    }
  }
}
