package dev.sluice.sink.sorter;

import java.nio.file.Path;

/**
 * A finished swap file: the journal records of one committed transaction. Immutable; any thread may
 * read it, any number of times, until the intake thread deletes it.
 *
 * @param bytes its size on disk
 * @param records number of journal records
 * @param largestBlock uncompressed size of its largest block, in bytes
 */
record SwapFile(Path path, long bytes, long records, long largestBlock, SwapSpace space) {

  SwapReader read() {
    return new SwapReader(this);
  }

  void delete() {
    space.delete(path, bytes);
  }
}
