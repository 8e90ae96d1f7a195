package dev.sluice.engine.load;

import dev.sluice.config.Counted;
import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.load.RowChunk;
import dev.sluice.connector.api.source.load.RecordedTable;
import dev.sluice.connector.api.source.load.Segment;
import dev.sluice.connector.api.source.load.SegmentRows;
import dev.sluice.connector.api.source.load.SnapshotReader;
import dev.sluice.connector.api.source.load.TableChanged;
import dev.sluice.load.SegmentLoad;
import dev.sluice.load.SegmentLoader;
import java.time.Instant;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loads segments, one after the other. Owns its source and target connections from its start to its
 * end; {@link #abort} may be called from any thread.
 */
final class LoadWorker extends Thread {
  private static final Logger LOG = LoggerFactory.getLogger(LoadWorker.class);

  private final LoadRun run;
  private final SnapshotReader reader;
  private final SegmentLoader loader;
  private final RowChunk chunk = new RowChunk();

  LoadWorker(int number, LoadRun run, SnapshotReader reader, SegmentLoader loader) {
    super("load-" + number);
    this.run = run;
    this.reader = reader;
    this.loader = loader;
  }

  @Override
  public void run() {
    try {
      Optional<Segment> next = run.next(Optional.empty());
      while (next.isPresent()) {
        load(next.get());
        next = run.next(next);
      }
    } catch (SluiceException e) {
      run.failed(e);
    } catch (RuntimeException | Error e) {
      run.failed(new SluiceException.Fatal("BUG: a load worker ended with " + e, e));
    } finally {
      close();
    }
  }

  /** The change of a table without segments since the plan. Called before the thread starts. */
  Optional<TableChanged> difference(RecordedTable table) {
    return reader.difference(table);
  }

  /** Cancels what it waits for, so that it ends soon. */
  void abort() {
    reader.abort();
    loader.abort();
  }

  void close() {
    reader.close();
    loader.close();
  }

  private void load(Segment segment) {
    Instant started = Instant.now();
    TableLoadCounter progress = run.progressOf(segment);
    progress.segmentStarted(started);
    try {
      Optional<TableChanged> change = copy(segment, progress);
      if (change.isPresent()) {
        LOG.info(
            "the load of {} must start again: {}", change.get().table(), change.get().difference());
        run.changed(change.get());
        return;
      }
    } catch (SluiceException e) {
      progress.failed(Instant.now());
      throw e;
    }
    Instant ended = Instant.now();
    if (progress.segmentEnded(ended)) {
      run.lastSegmentEnded(segment);
      LoadProgress loaded = progress.snapshot();
      LOG.info(
          "table {} loaded: {}, {} bytes, {}",
          loaded.table(),
          Counted.of(loaded.rows(), "row"),
          loaded.bytes(),
          run.layout(segment).format());
      if (loaded.valuesCut() > 0) {
        LOG.warn(
            "table {}: {} truncated by LimitedSizeLobMode or the table's lob-settings",
            loaded.table(),
            Counted.of(loaded.valuesCut(), "value"));
      }
    }
  }

  private Optional<TableChanged> copy(Segment segment, TableLoadCounter progress) {
    Optional<TableChanged> change =
        reader
            .hold(run.table(segment), segment)
            .or(() -> reader.difference(run.table(segment), segment));
    if (change.isEmpty()) {
      change = copyRows(segment, progress);
    }
    reader.release(segment);
    return change;
  }

  private Optional<TableChanged> copyRows(Segment segment, TableLoadCounter progress) {
    try (SegmentRows rows = reader.read(segment, run.layout(segment));
        SegmentLoad load = begin(segment)) {
      while (rows.next(chunk, Math.min(load.room(), run.rowsAtOnce()))) {
        load.add(chunk);
        progress.loaded(chunk.rows(), chunk.length());
        run.read(chunk.rows(), chunk.length());
      }
      progress.cut(reader.countCut(segment, run.layout(segment)));
      // Checked before the segment is complete: a change meanwhile may have removed rows from it.
      Optional<TableChanged> change = reader.difference(run.table(segment), segment);
      if (change.isEmpty()) {
        load.finish();
      }
      return change;
    }
  }

  private SegmentLoad begin(Segment segment) {
    TableId target = run.targetOf(segment);
    return run.isAtOnce(segment)
        ? loader.beginAtOnce(target, run.layout(segment), run.mark(segment))
        : loader.begin(target, run.layout(segment), run.mark(segment));
  }
}
