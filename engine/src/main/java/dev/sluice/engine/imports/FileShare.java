package dev.sluice.engine.imports;

import java.util.Objects;

/**
 * A snapshot of one file's progress. Immutable.
 *
 * @param rows that are on the target
 * @param bytes that are done, of the file as it is on disk
 * @param totalBytes of the file
 */
public record FileShare(String name, State state, long rows, long bytes, long totalBytes) {

  /** The state of a file. */
  public enum State {
    WAITING("waiting"),
    LOADING("running"),
    DONE("done");

    private final String word;

    State(String word) {
      this.word = word;
    }

    /** The state as text. */
    public String word() {
      return word;
    }
  }

  public FileShare {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(state, "state");
  }

  /** The part that is done, from 0 to 1. */
  public double fraction() {
    if (state == State.DONE) {
      return 1;
    }
    return totalBytes <= 0 ? 0 : Math.min(1, bytes / (double) totalBytes);
  }
}
