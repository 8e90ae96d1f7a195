package dev.sluice.embedded;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * Creates folders for server data that are deleted with their server. They are in memory if the
 * machine has a memory file system with enough room: tests create and delete thousands of files a
 * second, which is slow on a disk. Each process has one folder for all its servers, and holds a
 * lock on it; a folder whose process was killed is deleted by the next process. Threadsafe.
 */
public final class MemoryFolder {
  private static final Path MEMORY = Path.of("/dev/shm");
  private static final long ROOM = 8L * 1024 * 1024 * 1024;
  private static final String PREFIX = "sluice-servers-";
  private static final String LOCK = "lock";

  private static final List<Runnable> ENDS = new ArrayList<>();

  private static Path ours;
  private static FileLock lock;

  private MemoryFolder() {}

  /**
   * Creates a folder: in memory, or in {@code java.io.tmpdir} if there is no room.
   *
   * @param server the first part of its name, such as {@code postgres}
   */
  public static synchronized Path create(String server) throws IOException {
    if (!Files.isWritable(MEMORY) || Files.getFileStore(MEMORY).getUsableSpace() < ROOM) {
      return Files.createTempDirectory("sluice-" + server + "-");
    }
    if (ours == null) {
      deleteAbandoned();
      ours = claim();
      Runtime.getRuntime().addShutdownHook(new Thread(MemoryFolder::giveUp, "servers-delete"));
    }
    return Files.createTempDirectory(ours, server + "-");
  }

  /**
   * Ends a server before its folder is deleted, where that happens when the process ends: a broker
   * whose files are gone ends the process as if it had failed.
   */
  public static synchronized void endFirst(Runnable server) {
    ENDS.add(server);
  }

  /** Creates the process's folder; it gets its final name only after it is locked. */
  private static Path claim() throws IOException {
    Path begun = Files.createTempDirectory(MEMORY, "sluice-begun-");
    lock = lock(begun.resolve(LOCK));
    String name = begun.getFileName().toString().replaceFirst("sluice-begun-", PREFIX);
    return Files.move(begun, MEMORY.resolve(name));
  }

  /** Locks the file; null if another process holds it. */
  private static FileLock lock(Path file) throws IOException {
    FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    FileLock taken = channel.tryLock();
    if (taken == null) {
      channel.close();
    }
    return taken;
  }

  /** Deletes folders of killed processes; a server that still runs there ends without its files. */
  private static void deleteAbandoned() throws IOException {
    try (DirectoryStream<Path> folders = Files.newDirectoryStream(MEMORY, PREFIX + "*")) {
      for (Path folder : folders) {
        try (FileLock free = lock(folder.resolve(LOCK))) {
          if (free != null) {
            FolderTree.delete(folder);
          }
        } catch (IOException e) {
          // Another process deletes it, or it belongs to another user.
        }
      }
    }
  }

  private static synchronized void giveUp() {
    ENDS.forEach(Runnable::run);
    try {
      FolderTree.delete(ours);
      lock.release();
    } catch (IOException e) {
      // A server is still writing: the next process deletes it.
    }
  }
}
