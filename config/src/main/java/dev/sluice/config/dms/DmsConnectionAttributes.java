package dev.sluice.config.dms;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Extra connection attributes of an endpoint, as {@code name=value;name=value}, or as JSON, which
 * some guides print. Of those that are not known neither name nor value is shown: a secret may
 * stand anywhere. Stateless.
 */
final class DmsConnectionAttributes {
  private static final String KEY = "ExtraConnectionAttributes";

  /** What a value looks like that is no secret. */
  private static final String PLAIN = "[A-Za-z0-9_:.+/-]{1,60}";

  private DmsConnectionAttributes() {}

  /** A note for each known attribute, and one for all others. */
  static List<String> notes(DmsEngine engine, String text) {
    List<String> notes = new ArrayList<>();
    int others = 0;
    String plain = text.replaceAll("[\"“”]", "").strip();
    boolean json = plain.startsWith("{");
    String inside = json ? plain.replaceAll("[{}]", "") : plain;
    for (String attribute : inside.split(json ? "," : ";")) {
      int end = attribute.indexOf(json ? ':' : '=');
      String name = end < 0 ? "" : attribute.substring(0, end).strip();
      Optional<DmsEndpointSetting> known = DmsEndpointSetting.attribute(engine, name);
      if (known.isPresent()) {
        String value = attribute.substring(end + 1).strip();
        notes.add(
            KEY
                + ", "
                + known.get().noteOf(value.matches(PLAIN) ? value : DmsEndpointSetting.HIDDEN));
      } else if (!attribute.isBlank()) {
        others++;
      }
    }
    if (others > 0) {
      notes.add(
          KEY
              + ", "
              + others
              + (notes.isEmpty() ? "" : " more")
              + " (names and values not shown) — not taken: no counterpart is known");
    }
    return notes;
  }
}
