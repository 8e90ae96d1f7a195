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
 * Where the events of a transaction go that is larger than its memory. A cache on local disk, wiped
 * at start. Owned by the task's thread.
 */
public final class SpillFiles {
  private final Path directory;

  /** Of this run alone: who was given up may still be at its end when its successor has begun. */
  private final String prefix = "events-" + UUID.randomUUID() + "-";

  private final long memoryBytes;
  private final DataSize limit;
  private final SchemaLookup schemas;
  private long inMemory;
  private long files;
  private long onDisk;

  /**
   * @param directory of this task alone; emptied
   * @param memoryBytes what a transaction's events may take before they go to disk
   * @param limit what they may take there
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
    return new EventRun(directory.resolve(prefix + ++files), schemas, this);
  }

  /** Counts more bytes in memory; whether these are too many. */
  boolean isOverLimit(long more) {
    inMemory += more;
    return inMemory > memoryBytes;
  }

  /**
   * Before more bytes go to disk: a transaction is not given out before it is whole, so waiting
   * would bring no room.
   *
   * @throws SluiceException.Fatal where they are too many
   */
  void writing(long bytes) {
    onDisk += bytes;
    if (onDisk > limit.bytes()) {
      throw new SluiceException.Fatal(
          new Problem(
              "a transaction that is gathered in " + directory,
              "its events take more than " + limit + " of the disk",
              "as much as SwapLimit allows",
              "Set a higher SwapLimit, with as much room on the disk, and start the connector's task"
                  + " again; nothing of the transaction is applied yet"));
    }
  }

  /** A file is gone. */
  void deleted(long bytes) {
    onDisk -= bytes;
  }

  /** Nothing is in memory any more. */
  void spilled() {
    inMemory = 0;
  }
}
