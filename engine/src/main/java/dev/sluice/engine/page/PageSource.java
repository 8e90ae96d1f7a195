package dev.sluice.engine.page;

import dev.sluice.engine.context.RecentWindows;
import dev.sluice.engine.status.StatusFigures;

/** What the page shows of a task beside its status. Threadsafe; no method waits for a server. */
public interface PageSource {
  /** Drawn every two seconds, so it must be cheap, however many tables there are. */
  StatusFigures figures();

  RecentWindows windows();
}
