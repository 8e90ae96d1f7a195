package dev.sluice.sink;

import dev.sluice.sink.sorter.SwapDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Path;

/**
 * A disk that gets full: it takes a part of a write and fails then, as a real one does. Used by one
 * thread.
 */
public final class SmallDisk implements SwapDisk {
  private volatile long room = Long.MAX_VALUE;

  /** So many bytes fit from now on. */
  public void room(long bytes) {
    room = bytes;
  }

  /** So many bytes more fit from now on. */
  public void moreRoom(long bytes) {
    room += bytes;
  }

  @Override
  public SeekableByteChannel create(Path file) throws IOException {
    requireRoom();
    return new Channel(LOCAL.create(file));
  }

  @Override
  public long free(Path directory) {
    return room;
  }

  private void requireRoom() throws IOException {
    if (room == 0) {
      throw new IOException("No space left on device");
    }
  }

  private final class Channel implements SeekableByteChannel {
    private final SeekableByteChannel file;

    private Channel(SeekableByteChannel file) {
      this.file = file;
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
      requireRoom();
      int fits = (int) Math.min(room, source.remaining());
      ByteBuffer part = source.slice().limit(fits);
      int taken = file.write(part);
      source.position(source.position() + taken);
      room -= taken;
      return taken;
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
      return file.read(target);
    }

    @Override
    public long position() throws IOException {
      return file.position();
    }

    @Override
    public SeekableByteChannel position(long position) throws IOException {
      file.position(position);
      return this;
    }

    @Override
    public long size() throws IOException {
      return file.size();
    }

    @Override
    public SeekableByteChannel truncate(long size) throws IOException {
      long before = file.size();
      file.truncate(size);
      room += before - file.size();
      return this;
    }

    @Override
    public boolean isOpen() {
      return file.isOpen();
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
