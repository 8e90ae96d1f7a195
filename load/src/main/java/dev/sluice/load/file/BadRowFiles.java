package dev.sluice.load.file;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/*
 * A bad row must be in its file exactly once, whenever the process is killed. So rows are written
 * and forced to disk before the transaction of their batch commits, with the file's new length.
 * Bytes after the last committed length are cut off at the start. Only one batch at a time is
 * between write and commit: otherwise a later length would cover rows of an earlier batch that is
 * rolled back.
 */
/**
 * Writes bad rows to files, each in the folder of the file that the rows come from. Threadsafe;
 * closed by its creator.
 */
public final class BadRowFiles implements AutoCloseable {
  public static final String SUFFIX = ".bad";

  private final String task;
  private final long most;
  private final ReentrantLock lock = new ReentrantLock();

  // These fields are protected by the lock.
  private final Map<String, FileChannel> channels = new HashMap<>();
  private long bad;
  private boolean broken;

  /**
   * @param most maximum number of bad rows
   * @param bad number of bad rows that were written before
   */
  public BadRowFiles(String task, long most, long bad) {
    this.task = task;
    this.most = most;
    this.bad = bad;
  }

  public static Path of(Path file) {
    return file.resolveSibling(file.getFileName() + SUFFIX);
  }

  /**
   * Cuts off bytes that were never committed.
   *
   * @param committed the file's length in the {@code ImportLog}; 0 if it has no bad rows
   * @throws SluiceException.Fatal if the file is not this import's or is shorter than the committed
   *     length
   */
  public void recover(DataFile file, long committed) {
    Path path = of(file.path());
    try {
      if (!Files.exists(path)) {
        requireLength(path, committed, 0);
        return;
      }
      requireOurs(file, path);
      requireLength(path, committed, Files.size(path));
      if (committed == 0) {
        Files.delete(path);
        return;
      }
      try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
        channel.truncate(committed);
        channel.force(true);
      }
    } catch (IOException e) {
      throw unwritable(path, e);
    }
  }

  private void requireOurs(DataFile file, Path path) throws IOException {
    byte[] head = head(file);
    byte[] found;
    try (var in = Files.newInputStream(path)) {
      found = in.readNBytes(head.length);
    }
    if (!Arrays.equals(found, Arrays.copyOf(head, found.length))) {
      throw new SluiceException.Fatal(
          new Problem(
              path.toString(),
              "is there, and was not written by an import of task " + task,
              "no such file, or that of an import that was broken off",
              "Move it away"));
    }
  }

  private static void requireLength(Path path, long committed, long found) {
    if (found < committed) {
      throw new SluiceException.Fatal(
          new Problem(
              path.toString(),
              "has %,d bytes".formatted(found),
              "at least the %,d bytes of bad rows that the target remembers".formatted(committed),
              "Put it back as it was until the import has ended"));
    }
  }

  private byte[] head(DataFile file) {
    return "# rows of %s that the import of task %s put aside; before each its line and the reason\n"
        .formatted(file.name(), task)
        .getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Fails if a batch has more bad rows than allowed.
   *
   * @param more the bad rows of the batch, not written yet
   * @throws SluiceException.Data if there are too many
   */
  public void requireRoom(DataFile file, List<BadRow> more) {
    lock.lock();
    try {
      if (bad + more.size() > most) {
        BadRow last = more.get(more.size() - 1);
        throw new SluiceException.Data(
            "more than %,d rows are bad (Import.MaxBadRows); the last one: %s, line %d: %s"
                .formatted(most, file.name(), last.line(), last.reason()),
            null);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Writes rows and forces them to disk. Other batches must wait until the result is closed. */
  public Append append(DataFile file, List<BadRow> rows) {
    lock.lock();
    boolean done = false;
    try {
      if (broken) {
        throw new SluiceException.Retryable(
            "the bad rows of another batch were not committed", null);
      }
      requireRoom(file, rows);
      Path path = of(file.path());
      try {
        FileChannel channel = channel(path);
        write(channel, text(file, rows, channel.size() == 0));
        channel.force(true);
        done = true;
        return new Append(channel.size(), rows.size());
      } catch (IOException e) {
        broken = true;
        throw unwritable(path, e);
      }
    } finally {
      if (!done) {
        lock.unlock();
      }
    }
  }

  private FileChannel channel(Path path) throws IOException {
    FileChannel channel = channels.get(path.toString());
    if (channel == null) {
      channel =
          FileChannel.open(
              path, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND);
      channels.put(path.toString(), channel);
      forceFolder(path.toAbsolutePath().getParent());
    }
    return channel;
  }

  /**
   * Forces the folder to disk; otherwise a power failure may lose the new file with all its rows.
   */
  private static void forceFolder(Path folder) throws IOException {
    try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  private byte[] text(DataFile file, List<BadRow> rows, boolean first) throws IOException {
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    if (first) {
      text.write(head(file));
    }
    for (BadRow row : rows) {
      text.write(
          "# line %d: %s\n".formatted(row.line(), row.reason()).getBytes(StandardCharsets.UTF_8));
      text.write(row.record());
      byte[] record = row.record();
      if (record.length == 0 || record[record.length - 1] != file.lineEnd().last()) {
        text.write(file.lineEnd().last());
      }
    }
    return text.toByteArray();
  }

  private static void write(FileChannel channel, byte[] bytes) throws IOException {
    ByteBuffer left = ByteBuffer.wrap(bytes);
    while (left.hasRemaining()) {
      channel.write(left);
    }
  }

  private static SluiceException unwritable(Path path, IOException e) {
    return new SluiceException.Fatal(
        new Problem(
            path.toString(),
            "cannot be written: " + e,
            "a file for bad rows (Import.ErrorPolicy is stash)",
            "Make the folder writable, or set Import.ErrorPolicy to abort"));
  }

  @Override
  public void close() {
    for (FileChannel channel : channels.values()) {
      try {
        channel.close();
      } catch (IOException e) {
        // All committed rows were already forced to disk.
        continue;
      }
    }
  }

  /** Rows that are written but not committed yet. Owned by the thread that wrote them. */
  public final class Append implements AutoCloseable {
    private final long end;
    private final int rows;
    private boolean committed;

    private Append(long end, int rows) {
      this.end = end;
      this.rows = rows;
    }

    /** The length of the file after these rows. */
    public long end() {
      return end;
    }

    public void committed() {
      committed = true;
    }

    /** If the rows were not committed, or that is not known, no further rows may be written. */
    @Override
    public void close() {
      if (committed) {
        bad += rows;
      } else {
        broken = true;
      }
      lock.unlock();
    }
  }
}
