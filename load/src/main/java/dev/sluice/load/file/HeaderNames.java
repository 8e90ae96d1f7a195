package dev.sluice.load.file;

import dev.sluice.config.settings.FileFormat;
import java.util.ArrayList;
import java.util.List;

/** Parses the first record of a file into column names. Pure. */
final class HeaderNames {
  private HeaderNames() {}

  static List<String> of(String record, FileFormat format) {
    return format.kind() == FileFormat.Kind.CSV ? csv(record, format) : text(record, format);
  }

  private static List<String> csv(String record, FileFormat format) {
    List<String> names = new ArrayList<>();
    StringBuilder name = new StringBuilder();
    boolean quoted = false;
    for (int at = 0; at < record.length(); at++) {
      char met = record.charAt(at);
      if (quoted) {
        boolean escapes =
            met == format.escape()
                && at + 1 < record.length()
                && (record.charAt(at + 1) == format.quote()
                    || record.charAt(at + 1) == format.escape());
        if (escapes) {
          name.append(record.charAt(++at));
        } else if (met == format.quote()) {
          quoted = false;
        } else {
          name.append(met);
        }
      } else if (met == format.delimiter()) {
        names.add(name.toString());
        name.setLength(0);
      } else if (met == format.quote()) {
        quoted = true;
      } else {
        name.append(met);
      }
    }
    names.add(name.toString());
    return names;
  }

  private static List<String> text(String record, FileFormat format) {
    List<String> names = new ArrayList<>();
    StringBuilder name = new StringBuilder();
    for (int at = 0; at < record.length(); at++) {
      char met = record.charAt(at);
      if (met == '\\' && at + 1 < record.length()) {
        name.append(record.charAt(++at));
      } else if (met == format.delimiter()) {
        names.add(name.toString());
        name.setLength(0);
      } else {
        name.append(met);
      }
    }
    names.add(name.toString());
    return names;
  }
}
