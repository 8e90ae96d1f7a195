package dev.sluice.sink.connect.envelope;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.data.Schema;

/**
 * Knows the placeholder that Debezium puts where the log does not repeat a large value. It has a
 * form for each type. Immutable.
 */
final class UnchangedValue {
  private final String text;
  private final byte[] bytes;
  private final String hex;

  /**
   * @param text {@code unavailable.value.placeholder} of the source connector
   */
  UnchangedValue(String text) {
    this.text = text;
    this.bytes = text.getBytes(StandardCharsets.UTF_8);
    this.hex = java.util.HexFormat.of().formatHex(bytes);
  }

  /**
   * @param schema null where the converter knows none
   */
  boolean is(Schema schema, Object value) {
    if (value instanceof String string) {
      // binary.handling.mode may have made a text of the bytes.
      return string.equals(text)
          || string.equals(hex)
          || string.length() > text.length() && string.equals(base64());
    }
    if (value instanceof byte[] array) {
      return Arrays.equals(array, bytes);
    }
    if (value instanceof ByteBuffer buffer) {
      return buffer.duplicate().equals(ByteBuffer.wrap(bytes));
    }
    if (value instanceof List<?> list) {
      return isArray(schema == null ? null : schema.valueSchema(), list);
    }
    return value instanceof Map<?, ?> map
        && map.size() == 1
        && text.equals(String.valueOf(map.keySet().iterator().next()));
  }

  /** One element that is the placeholder, or a number for each of its characters. */
  private boolean isArray(Schema schema, List<?> list) {
    if (list.size() == 1 && list.get(0) != null && !(list.get(0) instanceof List<?>)) {
      return is(schema, list.get(0));
    }
    if (list.size() != text.length()) {
      return false;
    }
    for (int i = 0; i < list.size(); i++) {
      if (!(list.get(i) instanceof Number number) || number.doubleValue() != text.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  private String base64() {
    return java.util.Base64.getEncoder().encodeToString(bytes);
  }
}
