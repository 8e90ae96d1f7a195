package dev.sluice.sink.progress;

/**
 * Is notified of each window after it was applied. Called by the apply thread, so it must not block
 * and must not throw; one that serves several lanes must be threadsafe.
 */
public interface WindowListener {
  /** Keeps nothing. */
  WindowListener NONE = window -> {};

  void applied(WindowCost window);
}
