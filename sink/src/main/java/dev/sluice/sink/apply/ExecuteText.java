package dev.sluice.sink.apply;

import dev.sluice.connector.api.ValueCursor;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Builds the EXECUTE of a prepared statement, its values as literals. Used again for each change;
 * owned by the apply thread.
 */
final class ExecuteText {
  private static final int KEPT_BYTES = 1024 * 1024;

  private byte[] bytes = new byte[1024];
  private int size;
  private boolean hasValues;

  void begin(String name) {
    size = 0;
    hasValues = false;
    if (bytes.length > KEPT_BYTES) {
      bytes = new byte[1024];
    }
    ensure(name.length() + 16);
    ascii("EXECUTE ");
    ascii(name);
  }

  /** The value at which the cursor stands, NULL where it has none. */
  void value(ValueCursor cursor) {
    // Each byte may be a quote to be doubled; what else is written here fits into the rest.
    ensure(2 * cursor.length() + 8);
    bytes[size++] = (byte) (hasValues ? ',' : '(');
    hasValues = true;
    if (!cursor.hasBytes()) {
      ascii("NULL");
      return;
    }
    byte[] source = cursor.buffer();
    bytes[size++] = '\'';
    for (int i = cursor.offset(); i < cursor.offset() + cursor.length(); i++) {
      byte b = source[i];
      if (b == '\'') {
        bytes[size++] = '\'';
      }
      bytes[size++] = b;
    }
    bytes[size++] = '\'';
  }

  String end() {
    if (hasValues) {
      ensure(1);
      bytes[size++] = ')';
    }
    return new String(bytes, 0, size, StandardCharsets.UTF_8);
  }

  private void ascii(String text) {
    for (int i = 0; i < text.length(); i++) {
      bytes[size++] = (byte) text.charAt(i);
    }
  }

  private void ensure(int more) {
    if (bytes.length - size < more) {
      bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, size + more));
    }
  }
}
