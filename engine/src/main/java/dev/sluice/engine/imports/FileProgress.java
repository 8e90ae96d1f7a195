package dev.sluice.engine.imports;

import dev.sluice.engine.imports.FileShare.State;
import dev.sluice.load.file.RowBatch;
import dev.sluice.load.log.ImportedBatch;
import dev.sluice.load.log.ImportedFile;
import java.util.OptionalLong;

/** How far a file has got. Threadsafe: told by the reader and the jobs, read by the screen. */
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

  /** Takes what the target has of it; what was counted before is void. */
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

  /** Returns where the file ends where this was the last of it, and else nothing. */
  synchronized OptionalLong loaded(RowBatch batch, ImportedBatch imported) {
    rows += imported.place().rows() - imported.badRows();
    badRows += imported.badRows();
    bytes += imported.place().bytes();
    packedBytes = Math.max(packedBytes, batch.packedBytes());
    inFlight--;
    return inFlight == 0 ? endByte : OptionalLong.empty();
  }

  /** Returns whether all that was handed out is loaded. */
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
