package dev.sluice.load.file;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.zip.GZIPInputStream;

/**
 * A stream of a file's content that tracks its offset; decompressed if the name ends in {@code
 * .gz}. Owned by the thread that reads.
 */
final class FileStream extends InputStream {
  private static final int PACKED_BUFFER = 64 * 1024;

  private final SeekableByteChannel channel;
  private final InputStream content;
  private final boolean packed;
  private long place;

  private FileStream(SeekableByteChannel channel, InputStream content, boolean packed) {
    this.channel = channel;
    this.content = content;
    this.packed = packed;
  }

  static boolean isPacked(Path path) {
    return path.toString().toLowerCase(Locale.ROOT).endsWith(".gz");
  }

  static FileStream open(Path path) throws IOException {
    SeekableByteChannel channel = Files.newByteChannel(path);
    try {
      boolean packed = isPacked(path);
      InputStream raw = Channels.newInputStream(channel);
      // The channel belongs to this object, not to the stream in between.
      InputStream kept =
          new FilterInputStream(raw) {
            @Override
            public void close() {}
          };
      return new FileStream(
          channel, packed ? new GZIPInputStream(kept, PACKED_BUFFER) : raw, packed);
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  /** The offset of the next byte in the uncompressed content. */
  long place() {
    return place;
  }

  /** The number of bytes read of the file on disk. */
  long packedPlace() throws IOException {
    return channel.position();
  }

  /** Skips to a later offset; a compressed file is decompressed up to there. */
  void goTo(long target) throws IOException {
    if (packed) {
      content.skipNBytes(target - place);
    } else {
      channel.position(target);
    }
    place = target;
  }

  @Override
  public int read() throws IOException {
    int value = content.read();
    place += value < 0 ? 0 : 1;
    return value;
  }

  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    int count = content.read(bytes, offset, length);
    place += Math.max(0, count);
    return count;
  }

  @Override
  public void close() throws IOException {
    try {
      content.close();
    } finally {
      channel.close();
    }
  }
}
