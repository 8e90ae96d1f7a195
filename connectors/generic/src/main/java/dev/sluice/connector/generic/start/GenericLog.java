package dev.sluice.connector.generic.start;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.OpenTransaction;
import dev.sluice.connector.api.source.SourceLog;
import dev.sluice.connector.api.source.SourceSession;
import dev.sluice.connector.api.source.StopReading;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Supplier;

/**
 * The source's log as far as Debezium has delivered it: its real end is not known. Each call is
 * from one thread.
 *
 * @param stopSearch finds where the task stops
 * @param sourceClock asks the source
 * @param notFenced why there are no fences
 */
public record GenericLog(
    CaptureState state,
    StopSearch stopSearch,
    Supplier<Instant> sourceClock,
    Supplier<Problem> notFenced)
    implements SourceLog {

  /** What is journaled; after everything while nothing is, so that nothing counts as caught up. */
  @Override
  public Position current() {
    return state
        .position()
        .filter(position -> !AttemptPosition.isBeginning(position))
        .orElse(Position.MAX);
  }

  @Override
  public StopReading stop() {
    return stopSearch.read();
  }

  @Override
  public Position emitFence() {
    throw new SluiceException.Fatal(notFenced.get());
  }

  /** Windows close by their own limits. */
  @Override
  public void endWindows() {
    // Nothing is written on the source.
  }

  @Override
  public OptionalLong takeTransactionId() {
    return OptionalLong.empty();
  }

  @Override
  public Instant clock() {
    return sourceClock.get();
  }

  /** Not known. */
  @Override
  public List<SourceSession> sessions() {
    return List.of();
  }

  /** Not known. */
  @Override
  public List<OpenTransaction> openTransactions() {
    return List.of();
  }

  @Override
  public long ignoredMessages() {
    return 0;
  }
}
