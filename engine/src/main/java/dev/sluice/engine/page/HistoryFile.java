package dev.sluice.engine.page;

import dev.sluice.config.PrivateFile;
import dev.sluice.engine.status.StatusJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file in the data directory by which the history outlives the daemon. Only its user can read
 * it. It is never forced to the disk: a file that a crash has damaged is thrown away. Owned by the
 * recorder's thread once the daemon runs.
 */
final class HistoryFile {
  private static final Logger LOG = LoggerFactory.getLogger(HistoryFile.class);

  static final String NAME = "history.json";

  private static final int FORM = 1;

  /** More than ten times what a full history takes. */
  private static final long MOST_BYTES = 4 << 20;

  private final Path directory;
  private boolean failed;

  HistoryFile(Path directory) {
    this.directory = directory;
  }

  /** The stored history; empty if there is none, or it is damaged. */
  StatusHistory read(Instant now) {
    Path file = directory.resolve(NAME);
    if (!Files.isRegularFile(file)) {
      return new StatusHistory();
    }
    try {
      if (Files.size(file) > MOST_BYTES) {
        throw new IOException(Files.size(file) + " bytes are too many");
      }
      Stored stored = StatusJson.read(Files.readString(file), Stored.class);
      if (stored.form() != FORM || stored.spans() == null) {
        throw new IOException("form " + stored.form() + " is not known");
      }
      return StatusHistory.of(stored.spans(), now);
    } catch (IOException | RuntimeException e) {
      LOG.warn("{} is thrown away, the page's plots begin again: {}", file, firstLine(e));
      remove(file);
      return new StatusHistory();
    }
  }

  /** Replaces the file; the first of several failures is logged. */
  void write(StatusHistory history) {
    try {
      PrivateFile.replace(directory, NAME, StatusJson.line(new Stored(FORM, history.all())));
      failed = false;
    } catch (IOException e) {
      if (!failed) {
        LOG.warn("the history of the figures cannot be written to {}: {}", directory, e.toString());
      }
      failed = true;
    }
  }

  private static void remove(Path file) {
    try {
      Files.delete(file);
    } catch (IOException e) {
      LOG.debug("{} cannot be deleted: {}", file, e.toString());
    }
  }

  /** A parser's message goes on with the place, over several lines. */
  private static String firstLine(Exception e) {
    return e.toString().lines().findFirst().orElse("");
  }

  private record Stored(int form, List<Series> spans) {}
}
