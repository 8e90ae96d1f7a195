package dev.sluice.sink.sorter;

import java.nio.file.Path;

/**
 * A finished swap file: the journal records of one committed transaction. Immutable; may be read
 * from any thread, any number of times, until the intake thread deletes it.
 *
 * @param bytes its size on disk
 * @param records journal records in it
 * @param largestBlock raw bytes of its largest block
 */
record SwapFile(Path path, long bytes, long records, long largestBlock, SwapSpace space) {

  SwapReader read() {
    return new SwapReader(this);
  }

  void delete() {
    space.delete(path, bytes);
  }
}
