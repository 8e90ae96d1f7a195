package dev.sluice.engine.validate.session;

import dev.sluice.connector.api.comparison.SourceView;
import dev.sluice.connector.api.comparison.TargetView;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * The two views of a session, and a thread for each, so that both servers work at the same time.
 * Owned by the session's thread.
 */
final class BothSides implements AutoCloseable {
  private static final AtomicInteger THREADS = new AtomicInteger();

  private final SourceView source;
  private final TargetView target;
  private final ExecutorService threads =
      Executors.newFixedThreadPool(
          2,
          work -> {
            Thread thread = new Thread(work, "comparison-" + THREADS.incrementAndGet());
            thread.setDaemon(true);
            return thread;
          });

  BothSides(SourceView source, TargetView target) {
    this.source = source;
    this.target = target;
  }

  SourceView source() {
    return source;
  }

  TargetView target() {
    return target;
  }

  /** What both sides gave. */
  record Both<S, T>(S source, T target) {}

  /**
   * Does both at the same time.
   *
   * @throws RuntimeException of the side that failed; the source's, if both did
   */
  <S, T> Both<S, T> ask(Supplier<S> ofSource, Supplier<T> ofTarget) throws InterruptedException {
    Future<S> first = threads.submit(ofSource::get);
    Future<T> second = threads.submit(ofTarget::get);
    try {
      S found = first.get();
      return new Both<>(found, second.get());
    } catch (ExecutionException e) {
      // Its view must be free for the next read.
      awaitEnd(second);
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw new IllegalStateException("BUG: a read threw " + e.getCause(), e);
    }
  }

  private static void awaitEnd(Future<?> read) throws InterruptedException {
    try {
      read.get();
    } catch (ExecutionException e) {
      // The other side's failure is reported.
    }
  }

  /** Ends the threads. The views belong to who opened them. */
  @Override
  public void close() {
    threads.shutdownNow();
  }
}
