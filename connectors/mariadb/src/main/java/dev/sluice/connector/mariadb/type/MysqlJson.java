package dev.sluice.connector.mariadb.type;

import java.util.Arrays;
import java.util.Base64;

/*
 * A document: type 1 | value. Numbers have the lowest byte first. An object or array, small with
 * offsets and sizes of 2 bytes, else of 4:
 *
 *   count | bytes | for each key: offset, length 2 | for each value: type 1, value or offset | …
 *
 * Offsets count from the count. A literal, a number of two bytes, and of four in a large one, is there
 * itself. A text: length, in bytes of 7 bits, the lowest first | UTF-8. Other values: type of a column
 * 1 | length | as MySQL has it in a column, times as one number of eight bytes.
 */
/**
 * Decodes MySQL's JSON, which is binary in the log, into the text that the server prints.
 * Stateless.
 */
final class MysqlJson {
  private static final int SMALL_OBJECT = 0;
  private static final int LARGE_OBJECT = 1;
  private static final int SMALL_ARRAY = 2;
  private static final int LARGE_ARRAY = 3;
  private static final int LITERAL = 4;
  private static final int INT16 = 5;
  private static final int UINT16 = 6;
  private static final int INT32 = 7;
  private static final int UINT32 = 8;
  private static final int INT64 = 9;
  private static final int UINT64 = 10;
  private static final int DOUBLE = 11;
  private static final int TEXT = 12;
  private static final int OTHER = 15;

  /** As the server writes bytes, in lines. */
  private static final Base64.Encoder BASE64 = Base64.getMimeEncoder(76, new byte[] {'\n'});

  private static final int OLD_TIMESTAMP = 7;
  private static final int DATE = 10;
  private static final int TIME = 11;
  private static final int DATETIME = 12;
  private static final int DECIMAL = 246;

  private MysqlJson() {}

  /**
   * @param lengthBytes the bytes of the length before a value
   */
  static ValueDecoder decoder(int lengthBytes) {
    return new PrefixedSize(lengthBytes) {
      @Override
      void write(byte[] log, int from, int length, ValueText text) {
        if (length == 0) {
          // What the server stores where it has to invent a value.
          text.put("null").end();
          return;
        }
        value(log[from] & 0xFF, log, from + 1, text);
        text.end();
      }
    };
  }

  private static void value(int type, byte[] log, int at, ValueText text) {
    switch (type) {
      case SMALL_OBJECT, LARGE_OBJECT, SMALL_ARRAY, LARGE_ARRAY -> container(type, log, at, text);
      case LITERAL -> literal(log[at], text);
      case INT16 -> text.put((short) LogNumber.unsigned(log, at, 2));
      case UINT16 -> text.put(LogNumber.unsigned(log, at, 2));
      case INT32 -> text.put((int) LogNumber.unsigned(log, at, 4));
      case UINT32 -> text.put(LogNumber.unsigned(log, at, 4));
      case INT64 -> text.put(LogNumber.unsigned(log, at, 8));
      case UINT64 -> text.put(Long.toUnsignedString(LogNumber.unsigned(log, at, 8)));
      case DOUBLE ->
          text.put(MysqlDouble.of(Double.longBitsToDouble(LogNumber.unsigned(log, at, 8))));
      case TEXT -> {
        Length length = Length.read(log, at);
        quoted(log, length.end(), length.value(), text);
      }
      case OTHER -> other(log, at, text);
      default -> throw unreadable("a value of type " + type);
    }
  }

  private static void literal(byte value, ValueText text) {
    text.put(
        switch (value) {
          case 0 -> "null";
          case 1 -> "true";
          case 2 -> "false";
          default -> throw unreadable("the literal " + value);
        });
  }

  private static void container(int type, byte[] log, int start, ValueText text) {
    boolean object = type == SMALL_OBJECT || type == LARGE_OBJECT;
    int size = type == SMALL_OBJECT || type == SMALL_ARRAY ? 2 : 4;
    int count = (int) LogNumber.unsigned(log, start, size);
    int keys = start + 2 * size;
    int values = keys + (object ? count * (size + 2) : 0);
    text.put(object ? '{' : '[');
    for (int i = 0; i < count; i++) {
      if (i > 0) {
        text.put(", ");
      }
      if (object) {
        int key = keys + i * (size + 2);
        int length = (int) LogNumber.unsigned(log, key + size, 2);
        quoted(log, start + (int) LogNumber.unsigned(log, key, size), length, text);
        text.put(": ");
      }
      int at = values + i * (1 + size);
      int of = log[at] & 0xFF;
      value(
          of,
          log,
          isInline(of, size) ? at + 1 : start + (int) LogNumber.unsigned(log, at + 1, size),
          text);
    }
    text.put(object ? '}' : ']');
  }

  private static boolean isInline(int type, int size) {
    return switch (type) {
      case LITERAL, INT16, UINT16 -> true;
      case INT32, UINT32 -> size == 4;
      default -> false;
    };
  }

  private static void quoted(byte[] utf8, int from, int length, ValueText text) {
    text.put('"');
    for (int i = from; i < from + length; i++) {
      byte each = utf8[i];
      switch (each) {
        case '"' -> text.put("\\\"");
        case '\\' -> text.put("\\\\");
        case '\b' -> text.put("\\b");
        case '\f' -> text.put("\\f");
        case '\n' -> text.put("\\n");
        case '\r' -> text.put("\\r");
        case '\t' -> text.put("\\t");
        default -> {
          if (each >= 0 && each < 0x20) {
            text.put("\\u00").putHex(each);
          } else {
            text.put((char) each);
          }
        }
      }
    }
    text.put('"');
  }

  private static void other(byte[] log, int at, ValueText text) {
    int type = log[at] & 0xFF;
    Length length = Length.read(log, at + 1);
    int from = length.end();
    switch (type) {
      case DECIMAL -> new DecimalDecoder(log[from], log[from + 1]).put(log, from + 2, text);
      case DATE, DATETIME, OLD_TIMESTAMP -> {
        long packed = LogNumber.unsigned(log, from, 8);
        text.put('"');
        date(packed, type != DATE, text);
        text.put('"');
      }
      case TIME -> {
        long packed = LogNumber.unsigned(log, from, 8);
        text.put(packed < 0 ? "\"-" : "\"");
        clock(Math.abs(packed) >> 24 >> 12 & 0x3FF, Math.abs(packed), text);
        text.put('"');
      }
      default -> {
        byte[] bytes = Arrays.copyOfRange(log, from, from + length.value());
        text.put("\"base64:type%d:".formatted(type))
            .put(BASE64.encodeToString(bytes).replace("\n", "\\n"))
            .put('"');
      }
    }
  }

  /** Years and months 17 bits, day 5, hour 5, minute 6, second 6, microseconds 24. */
  private static void date(long packed, boolean withTime, ValueText text) {
    long day = packed >> 24 >> 17;
    long yearAndMonth = day >> 5;
    text.put(yearAndMonth / 13, 4).put('-').put(yearAndMonth % 13, 2).put('-').put(day & 0x1F, 2);
    if (withTime) {
      text.put(' ');
      clock(packed >> 24 >> 12 & 0x1F, packed, text);
    }
  }

  private static void clock(long hours, long packed, ValueText text) {
    text.put(hours, 2)
        .put(':')
        .put(packed >> 24 >> 6 & 0x3F, 2)
        .put(':')
        .put(packed >> 24 & 0x3F, 2)
        .put('.')
        .put(packed & 0xFF_FFFF, 6);
  }

  private static IllegalArgumentException unreadable(String what) {
    return new IllegalArgumentException(what + " in a JSON document");
  }

  /**
   * A length.
   *
   * @param end the offset after it
   */
  private record Length(int value, int end) {
    static Length read(byte[] log, int from) {
      int value = 0;
      for (int i = 0; i < 5; i++) {
        value |= (log[from + i] & 0x7F) << 7 * i;
        if (log[from + i] >= 0) {
          return new Length(value, from + i + 1);
        }
      }
      throw unreadable("a length of more than five bytes");
    }
  }
}
