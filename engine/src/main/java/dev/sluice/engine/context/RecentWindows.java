package dev.sluice.engine.context;

import dev.sluice.sink.progress.WindowCost;
import dev.sluice.sink.progress.WindowListener;
import dev.sluice.sink.window.policy.CloseReason;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.List;

/**
 * The last windows of all lanes, a bounded number of them, in the order in which they were applied.
 * They are numbered from the daemon's start on. A window without changes is left out, unless a
 * barrier closed it: a quiet source would push out all others. Threadsafe.
 */
public final class RecentWindows implements WindowListener {
  /** More than an hour at one window in ten seconds; four minutes at two in a second. */
  public static final int MOST = 500;

  private final Instant since;
  private final ArrayDeque<Numbered> windows = new ArrayDeque<>(MOST + 1);
  private long last;

  public RecentWindows(Instant since) {
    this.since = since;
  }

  /**
   * @param number from 1
   */
  public record Numbered(long number, WindowCost window) {}

  @Override
  public synchronized void applied(WindowCost window) {
    if (window.window().changes() == 0 && window.window().reason() != CloseReason.BARRIER) {
      return;
    }
    windows.addLast(new Numbered(++last, window));
    if (windows.size() > MOST) {
      windows.removeFirst();
    }
  }

  /** The windows with higher numbers, oldest first. */
  public synchronized List<Numbered> after(long number) {
    return windows.stream().filter(each -> each.number() > number).toList();
  }

  /** When it began to number windows. */
  public Instant since() {
    return since;
  }
}
