package dev.sluice.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;

/** Writes small files that only the user who runs the process can read. Stateless. */
public final class PrivateFile {
  private PrivateFile() {}

  /**
   * Replaces the file, or makes it. A reader sees the old text or the new one, never a part.
   *
   * @throws IOException if it cannot be written; then the old text is still there
   */
  public static void replace(Path directory, String name, String text) throws IOException {
    Path written =
        Files.createTempFile(
            directory,
            name,
            null,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    try {
      Files.writeString(written, text);
      Files.move(written, directory.resolve(name), StandardCopyOption.ATOMIC_MOVE);
    } finally {
      // Gone after the move; left over if the disk was full.
      Files.deleteIfExists(written);
    }
  }
}
