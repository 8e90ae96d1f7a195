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
 * Creates directories for files with rows of the user's tables (journal, swap). Only the user that
 * runs the process can list or read them. File systems without POSIX permissions keep their own
 * rules. Stateless.
 */
public final class PrivateDirectory {
  private static final Set<PosixFilePermission> OWNER =
      PosixFilePermissions.fromString("rwx------");

  private PrivateDirectory() {}

  /**
   * Creates the directory and its missing parents, and closes it to other users. An existing empty
   * directory is closed too. An existing directory with files in it must be closed already: other
   * users may depend on it.
   *
   * @throws IOException if it cannot be created, belongs to another user, or has files and is open
   *     to other users
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
            "it is open to other users (%s) and is not empty, so others may use it; expected a directory for this purpose alone. Name another directory, or run chmod 700 on this one if nobody else uses it"
                .formatted(PosixFilePermissions.toString(permissions)));
      }
    }
  }

  /**
   * Creates the directory and its missing parents, all closed to other users. An existing directory
   * keeps its permissions: it may be the user's own and have other files.
   *
   * @throws IOException if it cannot be created
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
      // Its file store would do as well, but Java finds none in a chroot.
      if (above != null
          && Files.getFileAttributeView(above, PosixFileAttributeView.class) != null) {
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
