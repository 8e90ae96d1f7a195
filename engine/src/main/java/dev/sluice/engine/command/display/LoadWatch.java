package dev.sluice.engine.command.display;

import dev.sluice.engine.progress.ProgressItem;
import dev.sluice.engine.progress.ProgressScreen;
import dev.sluice.engine.status.LoadStatus;
import dev.sluice.engine.status.TableStatus;
import dev.sluice.engine.status.TaskStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** Shows a full load from the status pages of its daemon. Used by a command's thread. */
public final class LoadWatch {
  /** Phases in which a load may still come, or is not measured yet. */
  private static final Set<String> BEFORE_A_LOAD =
      Set.of("starting", "checking", "preparing", "full-load");

  private final ProgressScreen screen;
  private String phase = "";
  private boolean done;

  public LoadWatch(ProgressScreen screen) {
    this.screen = screen;
  }

  /** Shows a status page; returns whether the load is still to come or running. */
  public boolean show(Instant now, TaskStatus status) {
    if (!phase.equals(status.phase())) {
      phase = status.phase();
      screen.print("%s: %s".formatted(phase, status.reason()));
    }
    LoadStatus load = status.fullLoad();
    done = load == null ? !BEFORE_A_LOAD.contains(phase) : load.state().equals("done");
    if (load != null) {
      List<ProgressItem> tables =
          status.tables().stream()
              .map(TableStatus::fullLoad)
              .filter(Objects::nonNull)
              .map(LoadWatch::item)
              .toList();
      if (done) {
        screen.end(item(load), tables);
      } else {
        screen.show(now, item(load), tables);
      }
    }
    return !done;
  }

  /** Whether the load was done on the last page shown. */
  public boolean isDone() {
    return done;
  }

  public String phase() {
    return phase;
  }

  /** The progress of one table, or of all. */
  static ProgressItem item(LoadStatus load) {
    return new ProgressItem(
        load.name(),
        load.state(),
        Math.min(1, load.percent() / 100),
        load.rows(),
        load.expectedRows() == null ? OptionalLong.empty() : OptionalLong.of(load.expectedRows()),
        load.bytes(),
        load.rowsPerSecond(),
        load.bytesPerSecond(),
        Optional.ofNullable(load.secondsLeft()).map(left -> Duration.ofSeconds(left.longValue())));
  }
}
