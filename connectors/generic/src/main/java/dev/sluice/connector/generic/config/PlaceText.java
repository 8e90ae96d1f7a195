package dev.sluice.connector.generic.config;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The forms in which a task file names a place of the source's log. Which one fits a database, it
 * says itself. Immutable.
 */
public sealed interface PlaceText {

  /** Of PostgreSQL. */
  record Lsn(long number) implements PlaceText {}

  /** A file of a binary log, and the offset in it. */
  record InFile(String file, long offset) implements PlaceText {}

  /** An offset of Debezium's, as Kafka Connect prints it. */
  record Offset(Map<String, Object> fields) implements PlaceText {
    public Offset {
      fields = Map.copyOf(fields);
    }
  }

  /** What is expected. */
  String FORMS =
      "an LSN of PostgreSQL such as 4AF/B00000D0, a file of MariaDB's binary log and an offset such"
          + " as mariadb-bin.000042:4711, or an offset of Debezium's MariaDB connector as JSON";

  /**
   * Reads a text.
   *
   * @return empty if it has none of the forms
   */
  static Optional<PlaceText> parse(String text) {
    Matcher lsn = Forms.LSN.matcher(text);
    if (lsn.matches()) {
      return Optional.of(
          new Lsn(Long.parseLong(lsn.group(1), 16) << 32 | Long.parseLong(lsn.group(2), 16)));
    }
    Matcher place = Forms.IN_FILE.matcher(text);
    if (place.matches()) {
      return Optional.of(new InFile(place.group(1), Long.parseLong(place.group(2))));
    }
    return text.startsWith("{") ? Forms.offset(text) : Optional.empty();
  }

  /** How the forms are read. */
  final class Forms {
    private static final Pattern LSN = Pattern.compile("([0-9A-Fa-f]{1,8})/([0-9A-Fa-f]{1,8})");
    private static final Pattern IN_FILE = Pattern.compile("([^:{]+\\.[0-9]{1,10}):([0-9]{1,10})");

    /** As Kafka Connect reads offsets: each whole number is a long. */
    private static final ObjectMapper JSON =
        new ObjectMapper().enable(DeserializationFeature.USE_LONG_FOR_INTS);

    private Forms() {}

    private static Optional<PlaceText> offset(String text) {
      try {
        Map<String, Object> fields = JSON.readValue(text, new TypeReference<>() {});
        fields.values().removeIf(java.util.Objects::isNull);
        return Optional.of(new Offset(fields));
      } catch (JsonProcessingException e) {
        return Optional.empty();
      }
    }
  }
}
