package dev.sluice.connect.join;

import dev.sluice.config.PrivateDirectory;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.DataSize;
import dev.sluice.connector.api.SchemaLookup;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.apache.kafka.common.TopicPartition;

/**
 * Files for the events of a transaction that exceeds its memory limit. A cache on local disk,
 * deleted at start. Owned by the task's thread.
 */
public final class SpillFiles {
  private final Path directory;

  /** Unique for this run: an abandoned predecessor may still be writing when this one starts. */
  private final String prefix = "events-" + UUID.randomUUID() + "-";

  private final long memoryBytes;
  private final DataSize limit;
  private final SchemaLookup schemas;
  private long inMemory;
  private long files;
  private long onDisk;

  /**
   * @param directory used by this task alone; it is emptied
   * @param memoryBytes heap bytes of a transaction's events before they go to disk
   * @param limit limit of the files' total size
   */
  public SpillFiles(Path directory, long memoryBytes, DataSize limit, SchemaLookup schemas) {
    this.directory = directory;
    this.memoryBytes = memoryBytes;
    this.limit = limit;
    this.schemas = schemas;
    try {
      PrivateDirectory.make(directory);
      try (DirectoryStream<Path> old = Files.newDirectoryStream(directory, "events-*")) {
        for (Path path : old) {
          Files.deleteIfExists(path);
        }
      }
    } catch (IOException e) {
      throw new SluiceException.Retryable("could not prepare %s: %s".formatted(directory, e), e);
    }
  }

  EventRun newRun(TopicPartition partition) {
    return new EventRun(schemas, this);
  }

  /** A file that no one else has used. */
  Path newFile() {
    return directory.resolve(prefix + ++files);
  }

  /** Counts more bytes in memory. Returns true if the limit is exceeded. */
  boolean isOverLimit(long more) {
    inMemory += more;
    return inMemory > memoryBytes;
  }

  /**
   * Counts bytes before they are written. A full disk limit is an error: space is freed only after
   * the transaction is complete, so waiting does not help.
   *
   * @throws SluiceException.Fatal if the limit is exceeded
   */
  void writing(long bytes) {
    onDisk += bytes;
    if (onDisk > limit.bytes()) {
      throw new SluiceException.Fatal(
          new Problem(
              "a transaction that is gathered in " + directory,
              "its events take more than " + limit + " of the disk",
              "as much as SwapLimit allows",
              "Set a higher SwapLimit, with as much room on the disk, and start the connector's"
                  + " task again; nothing of the transaction is applied yet"));
    }
  }

  /** Counts the bytes of a deleted file. */
  void deleted(long bytes) {
    onDisk -= bytes;
  }

  /** Records that all events in memory were written to disk. */
  void spilled() {
    inMemory = 0;
  }
}
