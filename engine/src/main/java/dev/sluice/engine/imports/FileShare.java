package dev.sluice.engine.imports;

import java.util.Objects;

/**
 * How far a file has got. Immutable.
 *
 * @param rows that are on the target
 * @param bytes of the file as it is on disk that are done
 * @param totalBytes of the file
 */
public record FileShare(String name, State state, long rows, long bytes, long totalBytes) {

  /** What is being done with it. */
  public enum State {
    WAITING("waiting"),
    LOADING(""),
    DONE("done");

    private final String word;

    State(String word) {
      this.word = word;
    }

    /** For people; empty while it is loaded. */
    public String word() {
      return word;
    }
  }

  public FileShare {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(state, "state");
  }

  /** From 0 to 1. */
  public double fraction() {
    if (state == State.DONE) {
      return 1;
    }
    return totalBytes <= 0 ? 0 : Math.min(1, bytes / (double) totalBytes);
  }
}
