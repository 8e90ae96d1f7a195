package dev.sluice.config;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
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
   * that is there is closed as well.
   *
   * @throws IOException where it cannot be made, or belongs to another user
   */
  public static void make(Path directory) throws IOException {
    makeMissing(directory);
    PosixFileAttributeView view =
        Files.getFileAttributeView(directory, PosixFileAttributeView.class);
    if (view != null && !view.readAttributes().permissions().equals(OWNER)) {
      view.setPermissions(OWNER);
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
