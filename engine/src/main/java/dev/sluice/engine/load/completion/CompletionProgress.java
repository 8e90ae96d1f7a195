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
 * @param state in words: {@code waiting}, {@code under way}, {@code done}, {@code failed} or {@code
 *     left out}
 * @param detail why it failed or was left out; else empty
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
  private static final String UNDER_WAY = "under way";

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
        number, table, kind, name, UNDER_WAY, "", Optional.of(now), Optional.empty());
  }

  CompletionProgress ended(State last, String why, Instant now) {
    return new CompletionProgress(
        number, table, kind, name, last.text(), why, started, Optional.of(now));
  }

  CompletionProgress interrupted() {
    return isUnderWay() ? waiting() : this;
  }

  public boolean isUnderWay() {
    return state.equals(UNDER_WAY);
  }

  /** Whether the step is done, skipped or failed. */
  boolean isSettled() {
    return isDone() || isLeftOut() || isFailed();
  }

  public boolean isDone() {
    return state.equals(State.DONE.text());
  }

  public boolean isFailed() {
    return state.equals(State.FAILED.text());
  }

  public boolean isLeftOut() {
    return state.equals(State.LEFT_OUT.text());
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
