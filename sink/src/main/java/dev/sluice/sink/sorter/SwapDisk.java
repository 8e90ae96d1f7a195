package dev.sluice.sink.sorter;

import java.io.IOException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** The disk that swap files are written to. Used by the intake thread. */
public interface SwapDisk {

  /** The local file system. */
  SwapDisk LOCAL =
      new SwapDisk() {
        @Override
        public SeekableByteChannel create(Path file) throws IOException {
          return Files.newByteChannel(
              file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        }

        @Override
        public long free(Path directory) throws IOException {
          if (!Files.isDirectory(directory)) {
            throw new NoSuchFileException(directory.toString());
          }
          // Its file store would do as well, but Java finds none in a chroot.
          return directory.toFile().getUsableSpace();
        }
      };

  /** Creates a new file for writing; fails if it exists. */
  SeekableByteChannel create(Path file) throws IOException;

  /** Bytes that this process may still write on the directory's disk. */
  long free(Path directory) throws IOException;
}
