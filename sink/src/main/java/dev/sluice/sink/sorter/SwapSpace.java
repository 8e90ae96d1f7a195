package dev.sluice.sink.sorter;

import dev.sluice.config.DataSize;
import dev.sluice.config.SluiceException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directory of a task's swap files, with the budget of their bytes. A cache of the journal:
 * wiped when it is opened. Owned by the intake thread; the figures may be read from any thread.
 */
public final class SwapSpace {
  private static final Logger log = LoggerFactory.getLogger(SwapSpace.class);
  private static final String SUFFIX = ".swap";

  private final Path directory;
  private final DataSize limit;
  private long created;
  private volatile long bytes;
  private volatile int files;

  /**
   * Creates the directory where it is missing and deletes the swap files in it.
   *
   * @throws SluiceException.Fatal where that cannot be done
   */
  public SwapSpace(Path directory, DataSize limit) {
    this.directory = directory;
    this.limit = limit;
    wipe();
  }

  /** Bytes that the files have on disk. */
  public long bytes() {
    return bytes;
  }

  public int files() {
    return files;
  }

  public DataSize limit() {
    return limit;
  }

  SwapWriter create() {
    created++;
    Path path = directory.resolve("transaction-" + created + SUFFIX);
    SwapWriter writer = new SwapWriter(path, this);
    files++;
    return writer;
  }

  /**
   * Reserves bytes on disk.
   *
   * @throws SwapFullException where the limit does not allow them
   */
  void reserve(long more) throws SwapFullException {
    if (bytes + more > limit.bytes()) {
      throw new SwapFullException(
          "swap holds %s in %d files in %s, its limit is %s"
              .formatted(DataSize.ofBytes(bytes), files, directory, limit),
          null);
    }
    bytes += more;
  }

  void unreserve(long fewer) {
    bytes -= fewer;
  }

  /** Deletes a file and gives its bytes back. */
  void delete(Path path, long size) {
    bytes -= size;
    files--;
    try {
      Files.deleteIfExists(path);
    } catch (IOException e) {
      log.warn("swap file {} cannot be deleted: {}", path, e.toString());
    }
  }

  /** Whether the disk has less room than a block wants. */
  boolean isDiskFull(long wanted) {
    try {
      return Files.getFileStore(directory).getUsableSpace() < wanted;
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Creates the directory where it is missing and deletes the swap files in it.
   *
   * @throws SluiceException.Fatal where that cannot be done
   */
  public void wipe() {
    try {
      Files.createDirectories(directory);
      try (DirectoryStream<Path> left = Files.newDirectoryStream(directory, "*" + SUFFIX)) {
        for (Path path : left) {
          Files.delete(path);
        }
      }
      bytes = 0;
      files = 0;
    } catch (IOException e) {
      throw new SluiceException.Fatal(
          "swap directory " + directory + " cannot be prepared: " + e, e);
    }
  }
}
