package dev.sluice.connector.postgres.capture;

import dev.sluice.connector.debezium.UnchangedValue;
import io.debezium.connector.postgresql.PostgresStreamingChangeEventSource.PgConnectionSupplier;
import io.debezium.connector.postgresql.PostgresType;
import io.debezium.connector.postgresql.connection.ReplicationMessage;
import io.debezium.connector.postgresql.connection.ReplicationMessage.ColumnTypeMetadata;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;

/*
 * Debezium's decoder makes one of three classes of a value: an anonymous one that keeps the log's
 * text in a captured variable and parses it when asked; one for unchanged values; one for NULL.
 * The text is taken out of the first. Its class and field are looked up when this class is loaded,
 * so that another version of Debezium fails at the start of a capture and not in its midst.
 */
/** A column's value as PostgreSQL's text, NULL or unchanged. Immutable. */
record TextColumn(ReplicationMessage.Column column, String text)
    implements ReplicationMessage.Column {
  private static final String TEXT_CLASS =
      "io.debezium.connector.postgresql.connection.pgoutput.PgOutputMessageDecoder$1";
  private static final String TEXT_FIELD = "val$valueStr";

  private static final Class<?> TEXT_COLUMN = textColumn();
  private static final MethodHandle TEXT = textGetter();

  /** The text in one of Debezium's columns; {@link UnchangedValue#MARK} where it is unchanged. */
  static String text(ReplicationMessage.Column column) {
    if (column.getClass() == TEXT_COLUMN) {
      try {
        return (String) TEXT.invokeExact((Object) column);
      } catch (Throwable e) {
        throw new IllegalStateException("the text of column " + column.getName(), e);
      }
    }
    if (column.isToastedColumn()) {
      return UnchangedValue.MARK;
    }
    if (column.getValue(null, false) != null) {
      throw new IllegalStateException(
          "column %s has a value of unknown kind %s"
              .formatted(column.getName(), column.getClass().getName()));
    }
    return null;
  }

  /** Fails where Debezium is not the release that is known. */
  static void requireKnownDecoder() {
    if (TEXT_COLUMN == null || TEXT == null) {
      throw new IllegalStateException("BUG: the decoder's text was not looked up");
    }
  }

  private static Class<?> textColumn() {
    try {
      return Class.forName(TEXT_CLASS);
    } catch (ClassNotFoundException e) {
      throw unknownDecoder(e);
    }
  }

  private static MethodHandle textGetter() {
    try {
      Field field = TEXT_COLUMN.getDeclaredField(TEXT_FIELD);
      field.setAccessible(true);
      return MethodHandles.lookup()
          .unreflectGetter(field)
          .asType(MethodType.methodType(String.class, Object.class));
    } catch (ReflectiveOperationException e) {
      throw unknownDecoder(e);
    }
  }

  private static IllegalStateException unknownDecoder(ReflectiveOperationException e) {
    return new IllegalStateException(
        "this release of Debezium's PostgreSQL connector keeps values elsewhere than in "
            + TEXT_CLASS
            + "."
            + TEXT_FIELD,
        e);
  }

  @Override
  public String getName() {
    return column.getName();
  }

  @Override
  public PostgresType getType() {
    return column.getType();
  }

  @Override
  public ColumnTypeMetadata getTypeMetadata() {
    return column.getTypeMetadata();
  }

  @Override
  public Object getValue(PgConnectionSupplier connection, boolean includeUnknownTypes) {
    return text;
  }

  @Override
  public boolean isOptional() {
    return column.isOptional();
  }

  /** Debezium is to take the mark as it is, not to put its own in its place. */
  @Override
  public boolean isToastedColumn() {
    return false;
  }
}
