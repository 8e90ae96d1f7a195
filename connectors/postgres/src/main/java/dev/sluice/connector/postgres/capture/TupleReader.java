package dev.sluice.connector.postgres.capture;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowBuilder;
import java.nio.ByteBuffer;

/**
 * Reads the rows of one table from the log's messages: the values are copied, not parsed. Owned by
 * the thread that decodes the log.
 */
final class TupleReader {
  /** Stands for no offset in a message. */
  private static final int NONE = -1;

  private final TableId table;
  private final int columns;
  private final RowBuilder builder = new RowBuilder(256);
  private int[] oldValues = new int[0];

  /**
   * @param columns how many the log has described
   */
  TupleReader(TableId table, int columns) {
    this.table = table;
    this.columns = columns;
  }

  /**
   * Requires the kind of the row that comes next.
   *
   * @throws SluiceException.Fatal if it is another one
   */
  void expect(byte kind, char expected) {
    if (kind != expected) {
      throw new SluiceException.Fatal(
          "table %s: the log has a row of kind '%s'; expected '%s'"
              .formatted(table, (char) kind, expected),
          null);
    }
  }

  /** Reads the row that comes next. */
  Row read(ByteBuffer message) {
    count(message);
    for (int i = 0; i < columns; i++) {
      value(message, true, NONE);
    }
    return builder.build();
  }

  /**
   * Reads some columns of the row that comes next.
   *
   * @param wanted their numbers, ascending
   */
  Row read(ByteBuffer message, int[] wanted) {
    count(message);
    int at = 0;
    for (int i = 0; i < columns; i++) {
      boolean isWanted = at < wanted.length && wanted[at] == i;
      if (isWanted) {
        at++;
      }
      value(message, isWanted, NONE);
    }
    return builder.build();
  }

  /**
   * Reads the row that comes next. A column that it marks as unchanged gets the old row's value, if
   * there is one.
   *
   * @param old offset of the old row in the message
   */
  Row readBehind(int old, ByteBuffer message) {
    findOldValues(message, old);
    count(message);
    for (int i = 0; i < columns; i++) {
      value(message, true, oldValues[i]);
    }
    return builder.build();
  }

  /** Reads the row at an offset of the message, which stays where it is. */
  Row readAt(int offset, ByteBuffer message) {
    int back = message.position();
    message.position(offset);
    Row row = read(message);
    message.position(back);
    return row;
  }

  /** Stores the offset of each text of the old row in the message. */
  private void findOldValues(ByteBuffer message, int old) {
    int back = message.position();
    message.position(old);
    count(message);
    if (oldValues.length != columns) {
      oldValues = new int[columns];
    }
    for (int i = 0; i < oldValues.length; i++) {
      oldValues[i] = message.get(message.position()) == 't' ? message.position() : NONE;
      value(message, false, NONE);
    }
    message.position(back);
  }

  private void count(ByteBuffer message) {
    int count = message.getShort();
    if (count != columns) {
      throw new SluiceException.Fatal(
          "table %s: the log has a row of %d columns; expected %d, as it described the table"
              .formatted(table, count, columns),
          null);
    }
  }

  /** Reads one value. For an unchanged one the old value is used, if it is known. */
  private void value(ByteBuffer message, boolean wanted, int old) {
    byte kind = message.get();
    switch (kind) {
      case 't' -> {
        int length = message.getInt();
        if (wanted) {
          builder.add(message.array(), message.arrayOffset() + message.position(), length);
        }
        message.position(message.position() + length);
      }
      case 'n' -> {
        if (wanted) {
          builder.addNull();
        }
      }
      case 'u' -> {
        if (old >= 0) {
          builder.add(message.array(), message.arrayOffset() + old + 5, message.getInt(old + 1));
        } else if (wanted) {
          builder.addUnchanged();
        }
      }
      default ->
          throw new SluiceException.Fatal(
              "table %s: the log has a value of kind '%s'; expected text, NULL or unchanged"
                  .formatted(table, (char) kind),
              null);
    }
  }
}
