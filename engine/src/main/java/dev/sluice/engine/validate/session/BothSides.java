package dev.sluice.engine.validate.session;

import dev.sluice.connector.api.comparison.SourceView;
import dev.sluice.connector.api.comparison.TargetView;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * The two views of a session, and threads for them, so that both servers work at the same time.
 * Owned by the session's thread.
 */
final class BothSides implements AutoCloseable {
  private static final AtomicInteger THREADS = new AtomicInteger();

  private final SourceView source;
  private final TargetView target;
  private final ExecutorService threads =
      Executors.newCachedThreadPool(
          work -> {
            Thread thread = new Thread(work, "comparison-" + THREADS.incrementAndGet());
            thread.setDaemon(true);
            return thread;
          });

  private final int lanes;

  /**
   * @param lanes of each side that read chunks at the same time
   */
  BothSides(SourceView source, TargetView target, int lanes) {
    this.source = source;
    this.target = target;
    this.lanes = lanes;
  }

  int lanes() {
    return lanes;
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

  /**
   * Does all at the same time, and waits for the end of each.
   *
   * @throws RuntimeException of the first that failed
   */
  void together(List<Runnable> work) throws InterruptedException {
    List<Future<?>> running = new ArrayList<>();
    work.forEach(each -> running.add(threads.submit(each)));
    Optional<RuntimeException> failure = Optional.empty();
    for (Future<?> each : running) {
      try {
        each.get();
      } catch (ExecutionException e) {
        RuntimeException why =
            e.getCause() instanceof RuntimeException known
                ? known
                : new IllegalStateException("BUG: a read threw " + e.getCause(), e);
        failure = failure.or(() -> Optional.of(why));
      }
    }
    if (failure.isPresent()) {
      throw failure.get();
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
