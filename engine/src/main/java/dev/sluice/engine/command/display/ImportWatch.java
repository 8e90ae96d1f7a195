package dev.sluice.engine.command.display;

import dev.sluice.engine.imports.FileShare;
import dev.sluice.engine.progress.ProgressItem;
import dev.sluice.engine.progress.ProgressScreen;
import dev.sluice.engine.status.RateMeter;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Shows the progress of an import's files on a screen. Owned by the thread that shows it. */
public final class ImportWatch {
  private static final Duration RATE_WINDOW = Duration.ofSeconds(10);

  private final ProgressScreen screen;
  private final Map<String, Meters> meters = new HashMap<>();
  private final Meters allMeters = new Meters();
  private boolean shown;

  public ImportWatch(ProgressScreen screen) {
    this.screen = screen;
  }

  /** Shows the files' progress; nothing before the files are known. */
  public void show(Instant now, List<FileShare> files) {
    if (!files.isEmpty()) {
      screen.show(now, all(now, files), items(now, files));
      shown = true;
    }
  }

  /** Shows the final progress, if any was shown before. */
  public void end(Instant now, List<FileShare> files) {
    if (shown) {
      screen.end(all(now, files), items(now, files));
    }
  }

  private List<ProgressItem> items(Instant now, List<FileShare> files) {
    return files.stream()
        .map(
            file ->
                meters
                    .computeIfAbsent(file.name(), name -> new Meters())
                    .item(now, file.name(), file))
        .toList();
  }

  private ProgressItem all(Instant now, List<FileShare> files) {
    boolean done = files.stream().allMatch(file -> file.state() == FileShare.State.DONE);
    return allMeters.item(
        now,
        "all files",
        new FileShare(
            "",
            done ? FileShare.State.DONE : FileShare.State.LOADING,
            files.stream().mapToLong(FileShare::rows).sum(),
            files.stream().mapToLong(FileShare::bytes).sum(),
            files.stream().mapToLong(FileShare::totalBytes).sum()));
  }

  private static final class Meters {
    private final RateMeter rows = new RateMeter(RATE_WINDOW);
    private final RateMeter bytes = new RateMeter(RATE_WINDOW);

    ProgressItem item(Instant now, String name, FileShare share) {
      rows.sample(now, share.rows());
      bytes.sample(now, share.bytes());
      boolean loading = share.state() == FileShare.State.LOADING;
      double rate = loading ? bytes.perSecond() : 0;
      return new ProgressItem(
          name,
          share.state().word(),
          share.fraction(),
          share.rows(),
          OptionalLong.empty(),
          share.bytes(),
          loading ? rows.perSecond() : 0,
          rate,
          rate < 1
              ? Optional.empty()
              : Optional.of(
                  Duration.ofSeconds(
                      (long) Math.ceil((share.totalBytes() - share.bytes()) / rate))));
    }
  }
}
