package dev.sluice.engine.load.completion;

import dev.sluice.config.TableId;
import dev.sluice.load.log.StoredStep;
import dev.sluice.load.log.StoredStep.State;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The progress of one step of a table's completion. Immutable.
 *
 * @param number unique in the task
 * @param table its name on the target
 * @param kind in words: {@code foreign key}
 * @param state in words: {@code waiting}, {@code running}, {@code done}, {@code failed} or {@code
 *     skipped}
 * @param detail why it failed or was skipped; else empty
 */
public record CompletionProgress(
    int number,
    TableId table,
    String kind,
    String name,
    String state,
    String detail,
    Optional<Instant> started,
    Optional<Instant> ended) {
  private static final String RUNNING = "running";

  /** The stored progress, but a failed step waits to be tried again. */
  static CompletionProgress tried(StoredStep journaled) {
    CompletionProgress remembered = of(journaled);
    return remembered.isFailed() ? remembered.waiting() : remembered;
  }

  /** The progress as stored on the target. */
  public static CompletionProgress of(StoredStep journaled) {
    return new CompletionProgress(
        journaled.number(),
        journaled.step().table(),
        journaled.step().kind().text(),
        journaled.step().name(),
        journaled.state().text(),
        journaled.detail(),
        journaled.started(),
        journaled.ended());
  }

  CompletionProgress begun(Instant now) {
    return new CompletionProgress(
        number, table, kind, name, RUNNING, "", Optional.of(now), Optional.empty());
  }

  CompletionProgress ended(State last, String why, Instant now) {
    return new CompletionProgress(
        number, table, kind, name, last.text(), why, started, Optional.of(now));
  }

  CompletionProgress interrupted() {
    return isRunning() ? waiting() : this;
  }

  public boolean isRunning() {
    return state.equals(RUNNING);
  }

  /** Whether the step is done, skipped or failed. */
  boolean isSettled() {
    return isDone() || isSkipped() || isFailed();
  }

  public boolean isDone() {
    return state.equals(State.DONE.text());
  }

  public boolean isFailed() {
    return state.equals(State.FAILED.text());
  }

  public boolean isSkipped() {
    return state.equals(State.SKIPPED.text());
  }

  /** How long it took, or has taken so far; zero before its start. */
  public Duration took(Instant now) {
    return started.map(begun -> Duration.between(begun, ended.orElse(now))).orElse(Duration.ZERO);
  }

  private CompletionProgress waiting() {
    return new CompletionProgress(
        number, table, kind, name, State.WAITING.text(), "", Optional.empty(), Optional.empty());
  }
}
