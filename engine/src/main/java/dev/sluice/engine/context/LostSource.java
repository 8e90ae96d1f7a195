package dev.sluice.engine.context;

import dev.sluice.config.document.SluiceException;
import dev.sluice.sink.control.task.TaskIdentity;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks a source that may be lost, once it has decided a cutover: who has no answer in time goes on
 * without it. Used by one thread.
 */
public final class LostSource {
  private static final Logger LOG = LoggerFactory.getLogger(LostSource.class);

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final TaskContext context;
  private Optional<String> lost = Optional.empty();

  public LostSource(TaskContext context) {
    this.context = context;
  }

  /** Why the source is taken for lost; empty if it has answered so far. */
  public Optional<String> why() {
    return lost;
  }

  /**
   * Finds out whether the source answers and is the one of the task.
   *
   * @throws SluiceException if the target does not answer
   */
  public boolean isThere() {
    Optional<TaskIdentity> begun = context.ownership().read();
    ask(() ->
            begun.flatMap(
                known ->
                    context
                        .ownership()
                        .otherSource(known, context.source().identityAs(known.sourceSystem()))))
        .flatMap(other -> other)
        .ifPresent(other -> lose(other.toString()));
    return lost.isEmpty();
  }

  /** Asks; empty if there is no answer, and from then on for each further question. */
  public <T> Optional<T> ask(Supplier<T> question) {
    if (lost.isPresent()) {
      return Optional.empty();
    }
    CompletableFuture<T> answer = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                answer.complete(question.get());
              } catch (RuntimeException | Error e) {
                answer.completeExceptionally(e);
              }
            },
            "sluice-lost-source");
    thread.setDaemon(true);
    thread.start();
    try {
      return Optional.ofNullable(answer.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS));
    } catch (TimeoutException e) {
      lose("no answer within %d s".formatted(PATIENCE.toSeconds()));
    } catch (ExecutionException e) {
      if (!(e.getCause() instanceof SluiceException)) {
        throw new IllegalStateException("BUG: the source is asked: " + e.getCause(), e.getCause());
      }
      lose(e.getCause().getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SluiceException.Retryable("asking the source was interrupted", e);
    }
    return Optional.empty();
  }

  private void lose(String why) {
    LOG.warn("the source is taken for lost: {}", why);
    lost = Optional.of(why);
  }
}
