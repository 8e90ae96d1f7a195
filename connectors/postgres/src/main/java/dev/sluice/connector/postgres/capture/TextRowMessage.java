package dev.sluice.connector.postgres.capture;

import dev.sluice.connector.debezium.UnchangedValue;
import io.debezium.connector.postgresql.connection.ReplicationMessage;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * A row's message with text values. Where the log repeats the old value of a column that the new
 * row leaves unchanged, the new row has that value. Used by Debezium's streaming thread.
 */
final class TextRowMessage implements ReplicationMessage {
  private final ReplicationMessage message;
  private final List<Column> oldColumns;
  private final List<Column> newColumns;

  TextRowMessage(ReplicationMessage message) {
    this.message = message;
    this.oldColumns = asText(message.getOldTupleList());
    this.newColumns = withOldValues(asText(message.getNewTupleList()), oldColumns);
  }

  private static List<Column> asText(List<Column> columns) {
    if (columns == null) {
      return null;
    }
    List<Column> texts = new ArrayList<>(columns.size());
    for (Column column : columns) {
      texts.add(new TextColumn(column, TextColumn.text(column)));
    }
    return texts;
  }

  private static List<Column> withOldValues(List<Column> columns, List<Column> old) {
    if (columns == null || old == null || old.size() != columns.size()) {
      return columns;
    }
    for (int i = 0; i < columns.size(); i++) {
      TextColumn column = (TextColumn) columns.get(i);
      String before = ((TextColumn) old.get(i)).text();
      if (column.text() == UnchangedValue.MARK && before != null) {
        columns.set(i, new TextColumn(column.column(), before));
      }
    }
    return columns;
  }

  @Override
  public Operation getOperation() {
    return message.getOperation();
  }

  @Override
  public Instant getCommitTime() {
    return message.getCommitTime();
  }

  @Override
  public OptionalLong getTransactionId() {
    return message.getTransactionId();
  }

  @Override
  public String getTable() {
    return message.getTable();
  }

  @Override
  public List<Column> getOldTupleList() {
    return oldColumns;
  }

  @Override
  public List<Column> getNewTupleList() {
    return newColumns;
  }

  @Override
  public boolean isLastEventForLsn() {
    return message.isLastEventForLsn();
  }

  @Override
  public boolean shouldSchemaBeSynchronized() {
    return message.shouldSchemaBeSynchronized();
  }

  @Override
  public boolean isTransactionalMessage() {
    return message.isTransactionalMessage();
  }

  @Override
  public boolean isSkippedMessage() {
    return message.isSkippedMessage();
  }
}
