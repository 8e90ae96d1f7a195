package dev.sluice.engine.validate.record;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Deletes files of records. Stateless. */
final class RecordFolder {
  private static final Logger LOG = LoggerFactory.getLogger(RecordFolder.class);

  /** The end of the name of a folder with the parts of a record. */
  static final String PARTS = ".parts";

  /** A command fetches its record at once. */
  private static final Duration FETCHED = Duration.ofHours(1);

  private RecordFolder() {}

  static void deleteLeft(Path dataDirectory, Instant now) {
    try (DirectoryStream<Path> left =
        Files.newDirectoryStream(dataDirectory, "validation-*.record*")) {
      for (Path path : left) {
        if (path.toString().endsWith(PARTS)
            || Files.getLastModifiedTime(path).toInstant().plus(FETCHED).isBefore(now)) {
          delete(path);
        }
      }
    } catch (IOException e) {
      LOG.warn("old records in {} cannot be deleted: {}", dataDirectory, e.toString());
    }
  }

  /** Deletes a folder with its files, or a file. Does not fail. */
  static void delete(Path path) {
    try {
      if (Files.isDirectory(path)) {
        try (Stream<Path> files = Files.list(path)) {
          files.forEach(RecordFolder::delete);
        }
      }
      Files.deleteIfExists(path);
    } catch (IOException e) {
      LOG.warn("{} cannot be deleted: {}", path, e.toString());
    }
  }
}
