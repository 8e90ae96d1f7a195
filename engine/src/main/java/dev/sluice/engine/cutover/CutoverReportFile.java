package dev.sluice.engine.cutover;

import dev.sluice.engine.status.CutoverStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The report of a cutover as a file of the task's data directory, one for each cutover. Used by one
 * thread.
 */
final class CutoverReportFile {
  private static final Logger LOG = LoggerFactory.getLogger(CutoverReportFile.class);

  private final String task;
  private final Path directory;
  private Instant begun;

  /**
   * @param begun names the file
   */
  CutoverReportFile(String task, Path dataDirectory, Instant begun) {
    this.task = task;
    this.directory = dataDirectory;
    this.begun = begun.truncatedTo(ChronoUnit.MILLIS);
  }

  /** Names the file. */
  Instant begun() {
    return begun;
  }

  /** Goes on with the file of an earlier daemon. */
  void goOn(Instant earlier) {
    begun = earlier;
  }

  /**
   * Writes or replaces the file. A failure is only logged: the report is in the status as well.
   *
   * @return the file; empty if it could not be written
   */
  Optional<Path> write(CutoverStatus status) {
    Path file = directory.resolve("cutover-%s.txt".formatted(begun).replace(':', '-'));
    try {
      Files.createDirectories(file.getParent());
      Path written = file.resolveSibling(file.getFileName() + ".new");
      Files.writeString(written, text(status));
      Files.move(written, file, StandardCopyOption.ATOMIC_MOVE);
      return Optional.of(file);
    } catch (IOException | RuntimeException e) {
      LOG.warn("the report of the cutover cannot be written to {}: {}", file, e.toString());
      return Optional.empty();
    }
  }

  private String text(CutoverStatus status) {
    StringBuilder text = new StringBuilder();
    text.append("cutover of task ").append(task).append(": ").append(status.result()).append('\n');
    text.append(status.step()).append("\n\n");
    status.report().forEach(line -> text.append(line).append('\n'));
    text.append(status.report().isEmpty() ? "" : "\n").append("timeline\n");
    status.timeline().forEach(line -> text.append(line).append('\n'));
    return text.toString();
  }
}
