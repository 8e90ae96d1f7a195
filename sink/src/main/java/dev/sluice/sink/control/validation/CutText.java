package dev.sluice.sink.control.validation;

import java.nio.charset.StandardCharsets;
import java.util.OptionalInt;

/**
 * Texts about a row as the control tables take them: what is too long is cut, and says how long it
 * was. Objects of JSON stay such. Immutable.
 *
 * @param limit the most bytes of a text; empty if there is none
 */
record CutText(OptionalInt limit) {
  private static final String CUT = "{\"cut\":\"";

  /** A text for messages; null stays null. */
  String words(String text) {
    if (fits(text)) {
      return text;
    }
    String end = "… (%d characters)".formatted(characters(text));
    return beginning(text, limit.getAsInt() - bytes(end), false) + end;
  }

  /**
   * An object of JSON; null stays null. One that is too long becomes an object with the beginning
   * of its text, which has none of the row's columns.
   */
  String object(String json) {
    if (fits(json)) {
      return json;
    }
    String end = "…\",\"characters\":\"%d\"}".formatted(characters(json));
    return CUT + beginning(json, limit.getAsInt() - bytes(CUT) - bytes(end), true) + end;
  }

  private boolean fits(String text) {
    return text == null || limit.isEmpty() || bytes(text) <= limit.getAsInt();
  }

  /** As much as there is room for; JSON has no character to escape but these two. */
  private static String beginning(String text, int room, boolean escaped) {
    StringBuilder kept = new StringBuilder(room);
    int left = room;
    for (int at = 0; at < text.length(); ) {
      int next = text.offsetByCodePoints(at, 1);
      String one = text.substring(at, next);
      String written = escaped && (one.equals("\"") || one.equals("\\")) ? "\\" + one : one;
      left -= bytes(written);
      if (left < 0) {
        break;
      }
      kept.append(written);
      at = next;
    }
    return kept.toString();
  }

  private static int characters(String text) {
    return text.codePointCount(0, text.length());
  }

  private static int bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }
}
