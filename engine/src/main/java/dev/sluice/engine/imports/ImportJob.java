package dev.sluice.engine.imports;

import dev.sluice.config.document.SluiceException;
import dev.sluice.load.BatchLoader;
import dev.sluice.load.file.RowBatch;
import java.util.Optional;

/** A thread that loads batches, one after the other. Owns its connection. */
final class ImportJob extends Thread {
  private final ImportRun run;
  private final BatchLoader loader;

  ImportJob(int number, ImportRun run, BatchLoader loader) {
    super("import-" + number);
    this.run = run;
    this.loader = loader;
  }

  @Override
  public void run() {
    try {
      for (Optional<RowBatch> next = run.take(); next.isPresent(); next = run.take()) {
        run.load(next.get(), loader);
      }
    } catch (SluiceException e) {
      run.failed(e);
    } catch (RuntimeException | Error e) {
      run.failed(new SluiceException.Fatal("BUG: an import job ended with " + e, e));
    } finally {
      loader.close();
    }
  }

  /** Interrupts its current statement or wait, so that it ends soon. From any thread. */
  void abort() {
    loader.abort();
  }
}
