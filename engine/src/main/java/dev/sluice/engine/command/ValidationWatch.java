package dev.sluice.engine.command;

import dev.sluice.config.document.SluiceException;
import dev.sluice.engine.progress.ProgressItem;
import dev.sluice.engine.progress.ProgressScreen;
import dev.sluice.engine.status.ValidationStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Shows how far a validation is. Owned by the command's thread. */
final class ValidationWatch {
  private final ProgressScreen screen;
  private final Instant begun = Instant.now();
  private long rowsBefore = -1;

  ValidationWatch(ProgressScreen screen) {
    this.screen = screen;
  }

  /** Reads and shows the daemon's progress; a page that is not there is skipped. */
  void show(Instant now, DaemonClient daemon) {
    try {
      ValidationStatus status = daemon.status().status().validation();
      if (status != null && !status.tables().isEmpty()) {
        screen.show(now, item(status, now), List.of());
      }
    } catch (SluiceException e) {
      // The answer of the command says what is wrong.
    }
  }

  private ProgressItem item(ValidationStatus status, Instant now) {
    if (rowsBefore < 0) {
      rowsBefore = status.rows();
    }
    long rows = status.rows() - rowsBefore;
    long read =
        status.tables().stream()
            .filter(table -> table.read() != null && table.read().at().isAfter(begun))
            .count();
    double seconds = Math.max(1, Duration.between(begun, now).toMillis() / 1000.0);
    return new ProgressItem(
        "%d of %d tables".formatted(read, status.tables().size()),
        "",
        (double) read / status.tables().size(),
        rows,
        OptionalLong.empty(),
        0,
        rows / seconds,
        0,
        Optional.empty());
  }
}
