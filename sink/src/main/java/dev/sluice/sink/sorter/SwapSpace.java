package dev.sluice.sink.sorter;

import dev.sluice.config.Counted;
import dev.sluice.config.PrivateDirectory;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.DataSize;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directory of a task's swap files and the budget of their size. It is a cache of the journal,
 * so its old files are deleted when it is opened. Owned by the intake thread; the numbers may be
 * read from any thread.
 */
public final class SwapSpace {
  private static final Logger LOG = LoggerFactory.getLogger(SwapSpace.class);
  private static final String SUFFIX = ".swap";

  /** Unique for this run: an abandoned predecessor may still be writing when this one starts. */
  private final String prefix = "transaction-" + UUID.randomUUID() + "-";

  private final Path directory;
  private final SwapDisk disk;
  private volatile DataSize limit;
  private long created;
  private volatile long bytes;
  private volatile int files;

  /**
   * Creates the directory if it is missing and deletes the swap files in it.
   *
   * @throws SluiceException.Fatal if that fails
   */
  public SwapSpace(Path directory, DataSize limit, SwapDisk disk) {
    this.directory = directory;
    this.limit = limit;
    this.disk = disk;
    try {
      PrivateDirectory.make(directory);
    } catch (IOException e) {
      throw unprepared(e);
    }
    deleteFiles(directory, "");
    wipeBelow();
  }

  /**
   * Deletes the swap files that lanes of an earlier run left; their directories are in the main
   * lane's.
   */
  private void wipeBelow() {
    try (DirectoryStream<Path> below = Files.newDirectoryStream(directory, Files::isDirectory)) {
      for (Path lane : below) {
        deleteFiles(lane, "");
      }
    } catch (IOException e) {
      throw unprepared(e);
    }
  }

  /** Total size of the files on disk, in bytes. */
  public long bytes() {
    return bytes;
  }

  public int files() {
    return files;
  }

  public DataSize limit() {
    return limit;
  }

  /** Changes the limit of the total size; existing files stay. */
  public void limit(DataSize other) {
    limit = other;
  }

  Path directory() {
    return directory;
  }

  /**
   * Creates a new swap file.
   *
   * @throws SwapFullException if the disk has no room for it
   */
  SwapWriter create() throws SwapFullException {
    Path path = directory.resolve(prefix + (created + 1) + SUFFIX);
    try {
      SwapWriter writer = new SwapWriter(path, disk.create(path), this);
      created++;
      files++;
      return writer;
    } catch (IOException e) {
      throw refused("created", path, 0, SwapWriter.BLOCK_BYTES, e);
    }
  }

  /**
   * Classifies an I/O error: the disk is full, or something else failed.
   *
   * @param wanted bytes that were to be written
   * @return the exception to throw if the disk is full
   * @throws SluiceException.LostCache if something else failed
   */
  SwapFullException refused(String what, Path file, long size, long wanted, IOException e) {
    if (isNoSpace(e) || isDiskFull(wanted)) {
      return new SwapFullException(
          SwapFullException.Reason.DISK,
          "the disk of %s is full, %s are free".formatted(directory, free()),
          e);
    }
    throw new SluiceException.LostCache(
        "swap file %s of %s cannot be %s: %s".formatted(file, DataSize.ofBytes(size), what, e), e);
  }

  /**
   * Reserves bytes on disk.
   *
   * @throws SwapFullException if the limit does not allow them
   */
  void reserve(long more) throws SwapFullException {
    if (bytes + more > limit.bytes()) {
      throw new SwapFullException(
          SwapFullException.Reason.LIMIT,
          "%s has %s in %s, and SwapLimit is %s"
              .formatted(directory, DataSize.ofBytes(bytes), Counted.of(files, "file"), limit),
          null);
    }
    bytes += more;
  }

  void unreserve(long fewer) {
    bytes -= fewer;
  }

  /** Deletes a file and frees its reserved bytes. */
  void delete(Path path, long size) {
    bytes -= size;
    files--;
    try {
      Files.deleteIfExists(path);
    } catch (IOException e) {
      LOG.warn("swap file {} cannot be deleted: {}", path, e.toString());
    }
  }

  private boolean isDiskFull(long wanted) {
    try {
      return disk.free(directory) < wanted;
    } catch (IOException e) {
      return false;
    }
  }

  private static boolean isNoSpace(IOException e) {
    String message = String.valueOf(e.getMessage());
    return message.contains("No space left") || message.contains("quota");
  }

  private String free() {
    try {
      return DataSize.ofBytes(disk.free(directory)).toString();
    } catch (IOException e) {
      return "unknown bytes";
    }
  }

  /**
   * Deletes the files of this run.
   *
   * @throws SluiceException.Fatal if that fails
   */
  public void discard() {
    if (Files.isDirectory(directory)) {
      deleteFiles(directory, prefix);
    }
    bytes = 0;
    files = 0;
  }

  private void deleteFiles(Path folder, String beginning) {
    try (DirectoryStream<Path> left = Files.newDirectoryStream(folder, beginning + "*" + SUFFIX)) {
      for (Path path : left) {
        Files.deleteIfExists(path);
      }
    } catch (IOException e) {
      throw unprepared(e);
    }
  }

  private SluiceException.Fatal unprepared(IOException e) {
    return new SluiceException.Fatal(
        "swap directory " + directory + " cannot be prepared: " + e, e);
  }
}
