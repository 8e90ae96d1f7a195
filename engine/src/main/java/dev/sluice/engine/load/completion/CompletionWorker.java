package dev.sluice.engine.load.completion;

import dev.sluice.config.document.SluiceException;
import dev.sluice.load.StepMaker;
import dev.sluice.load.log.StoredStep;
import java.util.Optional;

/**
 * Executes steps, one after the other. Owns its connection, which it opens for its first step;
 * {@link #abort} may be called from any thread.
 */
final class CompletionWorker extends Thread {
  private final TableCompletion completion;
  private volatile StepMaker maker;
  private volatile boolean aborted;

  CompletionWorker(int number, TableCompletion completion) {
    super("complete-" + number);
    this.completion = completion;
  }

  @Override
  public void run() {
    try {
      for (Optional<StoredStep> next = completion.take();
          next.isPresent();
          next = completion.take()) {
        if (maker == null) {
          maker = completion.maker();
        }
        if (aborted) {
          return;
        }
        completion.ended(next.get(), maker.make(next.get()));
      }
    } catch (InterruptedException e) {
      completion.failed(new SluiceException.Fatal("BUG: a completion worker was interrupted", e));
    } catch (SluiceException e) {
      completion.failed(e);
    } catch (RuntimeException | Error e) {
      completion.failed(new SluiceException.Fatal("BUG: a completion worker ended with " + e, e));
    } finally {
      if (maker != null) {
        maker.close();
      }
    }
  }

  /** Cancels what it waits for, so that it ends soon. */
  void abort() {
    aborted = true;
    StepMaker busy = maker;
    if (busy != null) {
      busy.abort();
    }
  }
}
