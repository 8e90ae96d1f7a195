package dev.sluice.config;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Directories for what holds rows of the user's tables (journal, swap): only the process's own user
 * can list or read what is in them. File systems without POSIX permissions keep theirs.
 */
public final class PrivateDirectory {
  private static final Set<PosixFilePermission> OWNER =
      PosixFilePermissions.fromString("rwx------");

  private PrivateDirectory() {}

  /**
   * Makes the directory where it is missing, with those above it, and closes it to other users. One
   * that is there and empty is closed as well. One that has something in it may serve others too,
   * who would be shut out.
   *
   * @throws IOException where it cannot be made, belongs to another user, or has something in it
   *     and is not closed
   */
  public static void make(Path directory) throws IOException {
    makeMissing(directory);
    PosixFileAttributeView view =
        Files.getFileAttributeView(directory, PosixFileAttributeView.class);
    if (view != null && !view.readAttributes().permissions().equals(OWNER)) {
      requireEmpty(directory, view.readAttributes().permissions());
      view.setPermissions(OWNER);
    }
  }

  private static void requireEmpty(Path directory, Set<PosixFilePermission> permissions)
      throws IOException {
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      if (entries.iterator().hasNext()) {
        throw new FileSystemException(
            directory.toString(),
            null,
            "it is open to other users (%s) and has files already, so it may serve others too; expected a directory for this alone. Run chmod 700 on it where it does, or name another one"
                .formatted(PosixFilePermissions.toString(permissions)));
      }
    }
  }

  /**
   * Makes the directory where it is missing, with those above it, all closed to other users. One
   * that is there stays as it is: it may be the user's own, with other things in it.
   *
   * @throws IOException where it cannot be made
   */
  public static void makeMissing(Path directory) throws IOException {
    Path absolute = directory.toAbsolutePath().normalize();
    if (Files.isDirectory(absolute)) {
      return;
    }
    Path above = absolute.getParent();
    if (above != null) {
      makeMissing(above);
    }
    try {
      if (above != null && Files.getFileStore(above).supportsFileAttributeView("posix")) {
        Files.createDirectory(absolute, PosixFilePermissions.asFileAttribute(OWNER));
      } else {
        Files.createDirectory(absolute);
      }
    } catch (FileAlreadyExistsException e) {
      if (!Files.isDirectory(absolute)) {
        throw e;
      }
    }
  }
}
