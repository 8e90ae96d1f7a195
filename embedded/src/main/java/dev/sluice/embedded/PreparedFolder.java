package dev.sluice.embedded;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * A folder that is filled once and then shared by all processes of the machine, such as unpacked
 * binaries or the data of a new server. Threadsafe, also between processes.
 *
 * @param parent the folder that it is in
 * @param name its name there, beside which it has a lock and, while it is filled, another folder
 */
public record PreparedFolder(Path parent, String name) {

  /** Fills a folder that does not exist yet. */
  @FunctionalInterface
  public interface Filling {
    void fill(Path folder) throws IOException;
  }

  /** The filled folder; the first caller fills it. */
  public Path filledBy(Filling filling) throws IOException {
    Path folder = parent.resolve(name);
    // A lock of a file is the process's: two threads of it may not ask for it.
    synchronized (PreparedFolder.class) {
      if (Files.exists(folder)) {
        return folder;
      }
      Files.createDirectories(parent);
      try (FileChannel channel =
              FileChannel.open(
                  parent.resolve(name + ".lock"),
                  StandardOpenOption.CREATE,
                  StandardOpenOption.WRITE);
          FileLock lock = channel.lock()) {
        if (lock.isValid() && !Files.exists(folder)) {
          Path begun = parent.resolve(name + ".begun");
          FolderTree.delete(begun);
          filling.fill(begun);
          Files.move(begun, folder, StandardCopyOption.ATOMIC_MOVE);
        }
      }
      return folder;
    }
  }
}
