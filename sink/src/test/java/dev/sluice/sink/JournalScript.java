package dev.sluice.sink;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.Message;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.api.JournalRecord.TermStart;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.RowBuilder;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.connector.api.SchemaLookup;
import dev.sluice.connector.api.TransactionEncoder;
import dev.sluice.sink.intake.JournalEntry;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Writes journal records for tests, one term after the other. Not threadsafe. */
public final class JournalScript {
  public static final RowSchema ITEMS =
      new RowSchema(
          new TableId("shop", "items"),
          List.of(
              new Column("id", "integer", false, true), new Column("name", "text", true, false)));

  public static final SchemaLookup SCHEMAS = fingerprint -> ITEMS;

  private final List<JournalEntry> entries = new ArrayList<>();
  private int read;
  private TransactionEncoder encoder;

  /** Starts the next term from a slot position. */
  public JournalScript term(long term, long slotPosition) {
    put(new TermStart(term, new Position(slotPosition)).encode());
    encoder = new TransactionEncoder(term, 512, this::put);
    return this;
  }

  public JournalScript transaction(long position, ChangeEvent... changes) {
    return transaction(new Position(position), position * 1000, changes);
  }

  public JournalScript transaction(Position position, long commitMicros, ChangeEvent... changes) {
    encoder.begin();
    for (ChangeEvent change : changes) {
      encoder.add(change);
    }
    encoder.end(position, commitMicros);
    return this;
  }

  /** A transaction with the source's id of it. */
  public JournalScript identified(long position, long id, ChangeEvent... changes) {
    encoder.begin();
    for (ChangeEvent change : changes) {
      encoder.add(change);
    }
    encoder.end(new Position(position), position * 1000, id);
    return this;
  }

  /** The records written since the last call. */
  public List<JournalEntry> next() {
    List<JournalEntry> more = List.copyOf(entries.subList(read, entries.size()));
    read = entries.size();
    return more;
  }

  public static RowChange insert(long id, String name) {
    return new RowChange(ITEMS, null, RowBuilder.rowOf(Long.toString(id), name));
  }

  public static RowChange update(long id, String name) {
    return move(id, id, name);
  }

  public static RowChange move(long id, long newId, String name) {
    return new RowChange(
        ITEMS, RowBuilder.rowOf(Long.toString(id)), RowBuilder.rowOf(Long.toString(newId), name));
  }

  public static RowChange delete(long id) {
    return new RowChange(ITEMS, RowBuilder.rowOf(Long.toString(id)), null);
  }

  public static Message fence(String id) {
    return new Message("sluice.test.fence", id.getBytes(StandardCharsets.UTF_8));
  }

  private void put(byte[] value) {
    entries.add(new JournalEntry(entries.size(), value));
  }
}
