package dev.sluice.sink.control.report;

import java.util.List;

/** Writes objects of JSON whose values are texts. Pure. */
final class JsonTexts {
  private JsonTexts() {}

  /** The object with these names and values; null is JSON's null. */
  static String object(List<String> names, List<String> texts) {
    StringBuilder json = new StringBuilder("{");
    for (int i = 0; i < names.size(); i++) {
      append(json.append(i == 0 ? "" : ", "), names.get(i));
      json.append(" : ");
      if (texts.get(i) == null) {
        json.append("null");
      } else {
        append(json, texts.get(i));
      }
    }
    return json.append('}').toString();
  }

  private static void append(StringBuilder json, String text) {
    json.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"' -> json.append("\\\"");
        case '\\' -> json.append("\\\\");
        case '\b' -> json.append("\\b");
        case '\f' -> json.append("\\f");
        case '\n' -> json.append("\\n");
        case '\r' -> json.append("\\r");
        case '\t' -> json.append("\\t");
        default -> json.append(c < ' ' ? "\\u%04x".formatted((int) c) : String.valueOf(c));
      }
    }
    json.append('"');
  }
}
