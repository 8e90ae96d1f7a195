package dev.sluice.engine.imports;

import dev.sluice.config.document.SluiceException;
import dev.sluice.load.BatchLoader;
import dev.sluice.load.file.BatchReader;
import dev.sluice.load.file.RowBatch;
import dev.sluice.load.file.UnreadRange;
import dev.sluice.load.log.ImportLog;
import dev.sluice.load.log.ImportedFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * One attempt to import: its owner reads the files and splits them into batches, jobs load these.
 * Threadsafe: shared by the owner and the jobs.
 */
final class ImportRun {
  private static final long POLL_MILLIS = 20;

  private final ImportLog journal;
  private final long epoch;
  private final BatchReader.Bounds bounds;
  private final Map<String, FileProgress> files;

  /** Holds one batch for the next free job; more would only use memory. */
  private final BlockingQueue<RowBatch> waiting = new ArrayBlockingQueue<>(1);

  private volatile boolean allRead;
  private volatile boolean ending;

  // These fields are protected by this object's lock.
  private final List<ImportJob> jobs = new ArrayList<>();
  private SluiceException failure;

  /**
   * @param files by their names
   */
  ImportRun(
      ImportLog journal, long epoch, BatchReader.Bounds bounds, Map<String, FileProgress> files) {
    this.journal = journal;
    this.epoch = epoch;
    this.bounds = bounds;
    this.files = files;
  }

  /**
   * Loads what is left of each file; returns when all jobs have ended. Called by the owner, once.
   *
   * @throws SluiceException the first failure
   */
  void load(Map<String, ImportedFile> known, int parallelJobs, Supplier<BatchLoader> loaders) {
    try {
      start(parallelJobs, loaders);
      for (FileProgress file : files.values()) {
        ImportedFile before = known.get(file.planned().name());
        if (!ending && !before.isWhole()) {
          read(file, before);
        }
      }
    } catch (SluiceException e) {
      failed(e);
    }
    allRead = true;
    awaitEnd();
    synchronized (this) {
      if (failure != null) {
        throw failure;
      }
    }
  }

  private void start(int parallelJobs, Supplier<BatchLoader> loaders) {
    for (int number = 1; number <= parallelJobs; number++) {
      ImportJob job = new ImportJob(number, this, loaders.get());
      synchronized (this) {
        jobs.add(job);
        job.start();
        if (ending) {
          job.abort();
        }
      }
    }
  }

  private void read(FileProgress progress, ImportedFile before) {
    PlannedFile planned = progress.planned();
    progress.reading();
    List<UnreadRange> left = UnreadRange.of(planned.file(), before.places());
    try (BatchReader reader = BatchReader.open(planned.file(), left, bounds)) {
      for (Optional<RowBatch> next = reader.next(); next.isPresent(); next = reader.next()) {
        progress.submitted();
        if (!submit(next.get())) {
          return;
        }
      }
      if (!planned.file().isUnchanged()) {
        throw new SluiceException.Fatal(
            planned.file().path() + " has changed while it was imported", null);
      }
      if (progress.readTo(reader.endByte())) {
        finish(progress, reader.endByte());
      }
    } catch (IOException e) {
      throw new SluiceException.Fatal(
          "%s cannot be read: %s".formatted(planned.file().path(), e), e);
    }
  }

  /** Submits a batch to the jobs; returns false if the run is ending. */
  private boolean submit(RowBatch batch) {
    try {
      while (!ending) {
        if (waiting.offer(batch, POLL_MILLIS, TimeUnit.MILLISECONDS)) {
          return true;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SluiceException.Fatal("the import was interrupted", e);
    }
    return false;
  }

  /** The next batch; empty where none is left or the run ends early. Called by the jobs. */
  Optional<RowBatch> take() {
    try {
      while (!ending) {
        // Read before the poll, which then finds every batch submitted before.
        boolean last = allRead;
        RowBatch batch = waiting.poll(POLL_MILLIS, TimeUnit.MILLISECONDS);
        if (batch != null) {
          return Optional.of(batch);
        }
        if (last) {
          return Optional.empty();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return Optional.empty();
  }

  /** Called by the jobs. */
  void load(RowBatch batch, BatchLoader loader) {
    FileProgress progress = files.get(batch.file().name());
    OptionalLong end = progress.loaded(batch, loader.load(batch, progress.planned().target()));
    if (end.isPresent()) {
      finish(progress, end.getAsLong());
    }
  }

  private void finish(FileProgress progress, long endByte) {
    journal.finish(epoch, progress.planned().file(), endByte);
    progress.done();
  }

  /** Ends the run at the first failure; later ones are added to it as suppressed. */
  synchronized void failed(SluiceException error) {
    if (failure == null) {
      failure = error;
      ending = true;
      jobs.forEach(ImportJob::abort);
    } else if (failure != error) {
      failure.addSuppressed(error);
    }
  }

  private void awaitEnd() {
    boolean interrupted = false;
    List<ImportJob> started;
    synchronized (this) {
      started = List.copyOf(jobs);
    }
    for (ImportJob job : started) {
      while (job.isAlive()) {
        try {
          job.join();
        } catch (InterruptedException e) {
          interrupted = true;
          failed(new SluiceException.Fatal("the import was interrupted", e));
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
