package dev.sluice.engine.validate.session;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowBuilder;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.connector.api.TransactionEnd;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads the messages of the server's output plugin, version 1, into transactions. */
final class PgOutput {
  private final Map<Integer, RowSchema> schemas = new HashMap<>();
  private List<ChangeEvent> changes = new ArrayList<>();
  private long xid;

  record Transaction(TransactionEnd end, List<ChangeEvent> changes) {}

  /** Takes a message; gives the transaction that it ends. */
  Optional<Transaction> read(ByteBuffer message) {
    switch (message.get()) {
      case 'B' -> {
        message.getLong();
        message.getLong();
        xid = Integer.toUnsignedLong(message.getInt());
        changes = new ArrayList<>();
      }
      case 'R' -> relation(message);
      case 'I' -> {
        RowSchema schema = schemas.get(message.getInt());
        message.get();
        changes.add(new ChangeEvent.RowChange(schema, null, row(message)));
      }
      case 'U' -> {
        RowSchema schema = schemas.get(message.getInt());
        Row old = null;
        byte kind = message.get();
        if (kind != 'N') {
          old = match(schema, row(message), kind);
          message.get();
        }
        Row row = row(message);
        changes.add(
            new ChangeEvent.RowChange(schema, old == null ? schema.matchOf(row) : old, row));
      }
      case 'D' -> {
        RowSchema schema = schemas.get(message.getInt());
        byte kind = message.get();
        changes.add(new ChangeEvent.RowChange(schema, match(schema, row(message), kind), null));
      }
      case 'T' -> {
        int count = message.getInt();
        message.get();
        List<ChangeEvent.Emptied> tables = new ArrayList<>();
        for (int i = 0; i < count; i++) {
          tables.add(new ChangeEvent.Emptied(schemas.get(message.getInt()).table(), null));
        }
        changes.add(new ChangeEvent.Truncate(tables));
      }
      case 'C' -> {
        message.get();
        message.getLong();
        Position end = new Position(message.getLong());
        return Optional.of(
            new Transaction(new TransactionEnd(changes.size(), end, 0, xid), List.copyOf(changes)));
      }
      default -> {
        // Types and messages say nothing here.
      }
    }
    return Optional.empty();
  }

  /** Both kinds of old rows have all columns; those of a key have values in the key only. */
  private static Row match(RowSchema schema, Row old, byte kind) {
    return kind == 'K' || schema.hasKey() ? old.project(schema.key()) : old;
  }

  private void relation(ByteBuffer message) {
    int oid = message.getInt();
    TableId table = new TableId(text(message), text(message));
    message.get();
    int count = message.getShort();
    List<Column> columns = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      boolean key = message.get() == 1;
      String name = text(message);
      message.getInt();
      message.getInt();
      columns.add(new Column(name, "text", true, key));
    }
    schemas.put(oid, new RowSchema(table, columns));
  }

  private static Row row(ByteBuffer message) {
    int count = message.getShort();
    RowBuilder row = new RowBuilder(64);
    for (int i = 0; i < count; i++) {
      switch (message.get()) {
        case 'n' -> row.addNull();
        case 'u' -> row.addUnchanged();
        default -> {
          byte[] text = new byte[message.getInt()];
          message.get(text);
          row.add(text);
        }
      }
    }
    return row.build();
  }

  private static String text(ByteBuffer message) {
    StringBuilder text = new StringBuilder();
    for (byte b = message.get(); b != 0; b = message.get()) {
      text.append((char) b);
    }
    return new String(
        text.toString().getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
  }
}
