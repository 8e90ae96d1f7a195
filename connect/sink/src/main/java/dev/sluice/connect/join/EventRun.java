package dev.sluice.connect.join;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connect.envelope.DebeziumRecord;
import dev.sluice.connect.envelope.DebeziumRecord.KeyChange;
import dev.sluice.connect.envelope.DebeziumRecord.Membership;
import dev.sluice.connect.envelope.DebeziumRecord.RowEvent;
import dev.sluice.connect.envelope.DebeziumRecord.Truncated;
import dev.sluice.connector.api.ChangeCursor;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.Emptied;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.ChangeEvent.Truncate;
import dev.sluice.connector.api.SchemaLookup;
import dev.sluice.connector.api.TransactionEncoder;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;

/**
 * The events of one transaction in one partition, in order of their number: first written, then
 * read. The first events may be in a file. Owned by the task's thread.
 *
 * <p>The file has for each event {@link CheckedBytes}: its number, LSN, kind, and the bytes of the
 * change. If one cannot be read, nothing is lost: a new start reads the topics.
 */
final class EventRun implements AutoCloseable {
  private static final int TRUNCATED = 100;

  private final SchemaLookup schemas;
  private final SpillFiles files;
  private final ArrayDeque<DebeziumRecord> inMemory = new ArrayDeque<>();
  private Membership membership;
  private long lastOrder;
  private long bytes;

  /** Null while there is none. */
  private Path file;

  private DataOutputStream out;
  private long inFile;
  private long fileBytes;
  private DataInputStream in;
  private DebeziumRecord head;

  /**
   * @param files gives this run a file of its own if it needs one, and counts the bytes in it
   */
  EventRun(SchemaLookup schemas, SpillFiles files) {
    this.schemas = schemas;
    this.files = files;
  }

  /** Adds the next event. Returns false if it was added before. */
  boolean add(ReadEvent event) {
    long order = event.membership().order();
    if (order <= lastOrder) {
      return false;
    }
    lastOrder = order;
    membership = event.membership();
    inMemory.addLast(event.record());
    bytes += event.retainedBytes();
    return true;
  }

  /** Approximate heap bytes. */
  long bytes() {
    return bytes;
  }

  /** Moves the events in memory to the file. */
  void spill() {
    try {
      if (out == null) {
        file = files.newFile();
        out =
            new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file), 64 * 1024));
      }
      while (!inMemory.isEmpty()) {
        write(inMemory.removeFirst());
        inFile++;
      }
      bytes = 0;
    } catch (IOException e) {
      throw failed("write", e);
    }
  }

  /** The number of the next event that is read; above all others after the last. */
  long nextOrder() {
    if (head == null) {
      head = read();
    }
    return head == null ? Long.MAX_VALUE : orderOf(head);
  }

  /** The next event. Must be called only if there is one. */
  DebeziumRecord next() {
    nextOrder();
    DebeziumRecord event = head;
    head = null;
    return event;
  }

  @Override
  public void close() {
    try {
      if (out != null) {
        out.close();
      }
      if (in != null) {
        in.close();
      }
      if (file != null) {
        Files.deleteIfExists(file);
      }
      files.deleted(fileBytes);
      fileBytes = 0;
    } catch (IOException e) {
      throw failed("delete", e);
    }
  }

  private DebeziumRecord read() {
    if (inFile == 0) {
      return inMemory.pollFirst();
    }
    try {
      if (in == null) {
        out.flush();
        in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file), 64 * 1024));
      }
      inFile--;
      return readFromFile();
    } catch (IOException e) {
      throw failed("read", e);
    }
  }

  private void write(DebeziumRecord record) throws IOException {
    if (record instanceof Truncated truncated) {
      write(
          new Truncate(List.of(new Emptied(truncated.table(), null))),
          orderOf(record),
          truncated.lsn(),
          TRUNCATED);
    } else {
      RowEvent event = (RowEvent) record;
      write(
          new RowChange(event.schema(), event.match(), event.row()),
          orderOf(record),
          event.lsn(),
          event.half().ordinal());
    }
  }

  private void write(ChangeEvent change, long order, long lsn, long kind) throws IOException {
    byte[] bytes = TransactionEncoder.bytesOf(change);
    long size = CheckedBytes.size(3, bytes.length);
    fileBytes += size;
    files.writing(size);
    CheckedBytes.write(out, bytes, order, lsn, kind);
  }

  private DebeziumRecord readFromFile() throws IOException {
    CheckedBytes event = CheckedBytes.read(in, 3, Files.size(file));
    long order = event.numbers()[0];
    long lsn = event.numbers()[1];
    int kind = (int) event.numbers()[2];
    Membership member =
        new Membership(membership.xid(), order, membership.collection(), membership.previous());
    ChangeEvent change = ChangeCursor.ofPieces(event.bytes(), schemas);
    if (kind == TRUNCATED) {
      return new Truncated(member, lsn, ((Truncate) change).tables().get(0).table());
    }
    RowChange row = (RowChange) change;
    return new RowEvent(
        member, lsn, row.schema(), row.match(), row.row(), KeyChange.values()[kind]);
  }

  private static long orderOf(DebeziumRecord record) {
    return record instanceof Truncated truncated
        ? truncated.membership().order()
        : ((RowEvent) record).membership().order();
  }

  private SluiceException.LostCache failed(String attempted, IOException e) {
    return new SluiceException.LostCache(
        "could not %s the events in %s: %s".formatted(attempted, file, e), e);
  }
}
