package dev.sluice.connector.envelope;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.connect.data.Schema;

/**
 * Recognizes Debezium's placeholder for a large value that the log does not repeat. The placeholder
 * has a form for each type. Immutable.
 */
public final class UnchangedValue {
  private static final String HEX = "hex:";

  private final String text;
  private final byte[] bytes;
  private final String hex;
  private final String uuid;
  private final String base64;
  private final String base64Url;

  /**
   * @param placeholder {@code unavailable.value.placeholder} of the source connector; may be in
   *     hexadecimal digits
   * @throws IllegalArgumentException if these are not valid
   */
  public UnchangedValue(String placeholder) {
    this.bytes =
        placeholder.startsWith(HEX)
            ? HexFormat.of().parseHex(placeholder.substring(HEX.length()))
            : placeholder.getBytes(StandardCharsets.UTF_8);
    this.text = new String(bytes, StandardCharsets.UTF_8);
    this.hex = HexFormat.of().formatHex(bytes);
    this.base64 = Base64.getEncoder().encodeToString(bytes);
    this.base64Url = Base64.getUrlEncoder().encodeToString(bytes);
    this.uuid = UUID.nameUUIDFromBytes(bytes).toString();
  }

  /**
   * @param schema null if the converter has no schemas
   */
  public boolean is(Schema schema, Object value) {
    if (value instanceof String string) {
      // binary.handling.mode may have turned the bytes into a string.
      return string.equals(text)
          || string.equals(hex)
          || string.length() > text.length() && isBase64(string);
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

  /**
   * True if the only element is the placeholder or the UUID made of it, or there is a number for
   * each of its bytes.
   */
  private boolean isArray(Schema schema, List<?> list) {
    if (list.size() == 1 && list.get(0) != null && !(list.get(0) instanceof List<?>)) {
      return is(schema, list.get(0)) || list.get(0).equals(uuid);
    }
    if (list.size() != bytes.length) {
      return false;
    }
    for (int i = 0; i < list.size(); i++) {
      if (!(list.get(i) instanceof Number number) || number.doubleValue() != bytes[i]) {
        return false;
      }
    }
    return true;
  }

  private boolean isBase64(String string) {
    return string.equals(base64) || string.equals(base64Url);
  }
}
