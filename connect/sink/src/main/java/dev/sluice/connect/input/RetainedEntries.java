package dev.sluice.connect.input;

import dev.sluice.config.PrivateDirectory;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.DataSize;
import dev.sluice.connect.join.CheckedBytes;
import dev.sluice.connect.settings.RetainedSpace;
import dev.sluice.sink.intake.JournalEntry;
import dev.sluice.sink.replay.JournalRecords;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the journal entries that were created from a connector's records until they are durable on
 * the target, so that a failed window can be read again. The topics cannot be read again here,
 * since only the worker has their converters. A cache on local disk, deleted at start.
 *
 * <p>Written by the task's thread, read by the apply thread.
 *
 * <p>Files of about 16 MiB or an eighth of the limit, each entry as {@link CheckedBytes}: its
 * offset and its value. If one cannot be read, nothing is lost: a new start reads the topics.
 */
final class RetainedEntries implements JournalRecords, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RetainedEntries.class);

  private final RetainedSpace space;
  private final Path directory;

  /** Unique for this run: an abandoned predecessor may still be writing when this one starts. */
  private final String prefix = "entries-" + UUID.randomUUID() + "-";

  // Under the lock of this.
  private long bytes;
  private final Deque<Part> parts = new ArrayDeque<>();
  private long files;

  /**
   * @param space directory, which is emptied, and limit
   */
  RetainedEntries(RetainedSpace space) {
    this.space = space;
    this.directory = space.directory();
    try {
      PrivateDirectory.make(directory);
    } catch (IOException e) {
      throw failed("prepare", e);
    }
    wipe();
  }

  /** Adds entries, which follow those of the previous call. */
  synchronized void add(List<JournalEntry> entries) {
    try {
      for (JournalEntry entry : entries) {
        Part part = parts.peekLast();
        if (part == null || part.bytes >= space.fileBytes()) {
          part = new Part(directory.resolve(prefix + ++files));
          parts.addLast(part);
        }
        bytes -= part.bytes;
        part.add(entry);
        bytes += part.bytes;
      }
      if (!parts.isEmpty()) {
        parts.peekLast().out.flush();
      }
    } catch (IOException e) {
      throw failed("write", e);
    }
  }

  /** Why no more entries may be added at present; empty if there is room. */
  synchronized Optional<String> full() {
    if (bytes <= space.limit().bytes()) {
      return Optional.empty();
    }
    return Optional.of(
        "RETAINED_FULL: %s has %s of entries that are not durable on the target yet, SwapLimit is %s"
            .formatted(directory, DataSize.ofBytes(bytes), space.limit()));
  }

  /** Deletes the files with only entries below the offset. */
  synchronized void forgetBefore(long offset) {
    while (!parts.isEmpty() && parts.peekFirst().lastOffset < offset) {
      Part past = parts.removeFirst();
      bytes -= past.bytes;
      past.delete();
    }
  }

  @Override
  public Reading open(long offset) {
    return new Kept(offset);
  }

  @Override
  public synchronized void close() {
    parts.forEach(Part::delete);
    parts.clear();
    bytes = 0;
  }

  /** The files that may have entries from an offset on; the last file may get further ones. */
  private synchronized List<Part> parts(long from) {
    Part last = parts.peekLast();
    return parts.stream().filter(part -> part == last || part.lastOffset >= from).toList();
  }

  private void wipe() {
    try (DirectoryStream<Path> old = Files.newDirectoryStream(directory, "entries-*")) {
      for (Path path : old) {
        Files.deleteIfExists(path);
      }
    } catch (IOException e) {
      throw failed("wipe", e);
    }
  }

  private SluiceException.LostCache failed(String attempted, IOException e) {
    return new SluiceException.LostCache(
        "could not %s the retained entries in %s, which are read from the topics again: %s"
            .formatted(attempted, directory, e),
        e);
  }

  /** A file that is written to its end and then only read. */
  private static final class Part {
    private final Path path;
    private final DataOutputStream out;
    private long bytes;
    private long lastOffset;

    private Part(Path path) throws IOException {
      this.path = path;
      this.out =
          new DataOutputStream(
              new java.io.BufferedOutputStream(Files.newOutputStream(path), 256 * 1024));
    }

    private void add(JournalEntry entry) throws IOException {
      CheckedBytes.write(out, entry.value(), entry.offset());
      bytes += CheckedBytes.size(1, entry.value().length);
      lastOffset = entry.offset();
    }

    private void delete() {
      try {
        out.close();
        Files.deleteIfExists(path);
      } catch (IOException e) {
        LOG.warn("{} cannot be deleted: {}", path, e.toString());
      }
    }
  }

  private final class Kept implements Reading {
    private final long from;
    private final Iterator<Part> rest;
    private Part part;
    private long read;
    private DataInputStream in;

    private Kept(long from) {
      this.from = from;
      this.rest = parts(from).iterator();
    }

    @Override
    public JournalEntry next() {
      try {
        while (true) {
          if (in == null) {
            open();
          }
          JournalEntry entry = read();
          if (entry == null) {
            in.close();
            in = null;
          } else if (entry.offset() >= from) {
            return entry;
          }
        }
      } catch (IOException e) {
        throw failed("read", e);
      }
    }

    private void open() throws IOException {
      if (part != null && read != part.bytes) {
        throw new IOException(
            "%s has %d bytes of %d that were written".formatted(part.path, read, part.bytes));
      }
      if (!rest.hasNext()) {
        throw new IOException("no more of them are there");
      }
      part = rest.next();
      read = 0;
      in =
          new DataInputStream(new BufferedInputStream(Files.newInputStream(part.path), 256 * 1024));
    }

    /** The next entry; null at the end of the file. */
    private JournalEntry read() throws IOException {
      try {
        CheckedBytes entry = CheckedBytes.read(in, 1, Files.size(part.path));
        read += CheckedBytes.size(1, entry.bytes().length);
        return new JournalEntry(entry.numbers()[0], entry.bytes());
      } catch (EOFException e) {
        return null;
      }
    }

    @Override
    public void close() {
      try {
        if (in != null) {
          in.close();
        }
      } catch (IOException e) {
        throw failed("close", e);
      }
    }
  }
}
