package dev.sluice.engine.imports;

import dev.sluice.engine.imports.FileShare.State;
import dev.sluice.load.file.RowBatch;
import dev.sluice.load.log.ImportedBatch;
import dev.sluice.load.log.ImportedFile;
import java.util.OptionalLong;

/** The progress of one file. Threadsafe: updated by the reader and the jobs, read by the screen. */
final class FileProgress {
  private final PlannedFile planned;

  // These fields are protected by this object's lock.
  private State state = State.WAITING;
  private long rows;
  private long badRows;
  private long bytes;
  private long packedBytes;
  private int inFlight;
  private OptionalLong endByte = OptionalLong.empty();

  FileProgress(PlannedFile planned) {
    this.planned = planned;
  }

  PlannedFile planned() {
    return planned;
  }

  /** Resets the counts to what the target has recorded. */
  synchronized void resume(ImportedFile known) {
    rows = known.rows();
    badRows = known.badRows();
    bytes = known.bytes() + (known.batches().isEmpty() ? 0 : known.firstByte());
    packedBytes = 0;
    inFlight = 0;
    endByte = OptionalLong.empty();
    state = known.isWhole() ? State.DONE : State.WAITING;
  }

  synchronized void reading() {
    state = State.LOADING;
  }

  synchronized void submitted() {
    inFlight++;
  }

  /** Counts a loaded batch; returns the file's end if it was the last one. */
  synchronized OptionalLong loaded(RowBatch batch, ImportedBatch imported) {
    rows += imported.place().rows() - imported.badRows();
    badRows += imported.badRows();
    bytes += imported.place().bytes();
    packedBytes = Math.max(packedBytes, batch.packedBytes());
    inFlight--;
    return inFlight == 0 ? endByte : OptionalLong.empty();
  }

  /** Records that the file was read to its end; returns whether all batches are loaded. */
  synchronized boolean readTo(long end) {
    endByte = OptionalLong.of(end);
    return inFlight == 0;
  }

  synchronized void done() {
    state = State.DONE;
  }

  synchronized long rows() {
    return rows;
  }

  synchronized long badRows() {
    return badRows;
  }

  synchronized FileShare share() {
    long size = planned.file().identity().size();
    boolean packed = planned.file().isPacked();
    long done = state == State.DONE ? size : packed ? packedBytes : bytes;
    return new FileShare(planned.name(), state, rows, done, size);
  }
}
