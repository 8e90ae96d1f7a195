package dev.sluice.connector.generic.record;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.connector.api.CorruptJournalException;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.apache.kafka.connect.source.SourceRecord;

/**
 * Where Debezium goes on after a transaction. It is in the journal with the transaction's end, so
 * none is ahead of the other. Immutable.
 *
 * @param transaction the last transaction's id; empty if there was none yet
 * @param partition of Debezium's source, as its records have it
 * @param offset Debezium's offset after the transaction
 */
public record Bookmark(
    String transaction, Map<String, Object> partition, Map<String, Object> offset) {
  /** As Kafka Connect reads offsets: each whole number is a long. */
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(DeserializationFeature.USE_LONG_FOR_INTS);

  public Bookmark {
    Objects.requireNonNull(transaction, "transaction");
    partition = new TreeMap<>(partition);
    offset = new TreeMap<>(offset);
  }

  /**
   * The place of a record.
   *
   * @param transaction the last transaction's id
   */
  static Bookmark at(SourceRecord record, String transaction) {
    return new Bookmark(
        transaction, withoutNulls(record.sourcePartition()), withoutNulls(record.sourceOffset()));
  }

  private static Map<String, Object> withoutNulls(Map<String, ?> map) {
    Map<String, Object> copy = new HashMap<>();
    map.forEach(
        (key, value) -> {
          if (value != null) {
            copy.put(key, value);
          }
        });
    return copy;
  }

  public String text() {
    try {
      return JSON.writeValueAsString(
          Map.of("transaction", transaction, "partition", partition, "offset", offset));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("BUG: an offset that is no JSON: " + offset.keySet(), e);
    }
  }

  /**
   * Reads the text form.
   *
   * @throws CorruptJournalException if it is none
   */
  public static Bookmark parse(String text) {
    try {
      Map<String, Object> fields = JSON.readValue(text, new TypeReference<>() {});
      return new Bookmark(
          (String) fields.get("transaction"),
          JSON.convertValue(fields.get("partition"), new TypeReference<>() {}),
          JSON.convertValue(fields.get("offset"), new TypeReference<>() {}));
    } catch (JsonProcessingException | RuntimeException e) {
      throw new CorruptJournalException("a bookmark that is not Debezium's: " + text);
    }
  }
}
