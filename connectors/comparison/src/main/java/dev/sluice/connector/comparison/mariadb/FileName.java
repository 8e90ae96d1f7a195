package dev.sluice.connector.comparison.mariadb;

import dev.sluice.config.TableId;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;

/*
 * A line of the resource: the code of a letter in hexadecimal, and then two characters for each
 * letter, beginning with this one.
 */
/**
 * The name that InnoDB gives to a database or a table, a file name: ASCII letters and digits are
 * unchanged, other letters become {@code @} and two characters, and everything else {@code @} and
 * its code. MariaDB has a character set for it, MySQL does not show it. Stateless.
 */
public final class FileName {
  private static final String RESOURCE = "file-name-letters.txt";
  private static final Map<Character, String> LETTERS = letters();
  private static final Map<String, Character> CODES = new HashMap<>();

  static {
    LETTERS.forEach((letter, code) -> CODES.put(code, letter));
  }

  /** Names that Windows does not allow for a file, to which the servers add a suffix. */
  private static final Pattern RESERVED = Pattern.compile("(?i)con|prn|aux|nul|(com|lpt)[1-9]");

  private static final String NOT_RESERVED = "@@@";

  private FileName() {}

  /** The name of a file for a name of the catalog. */
  public static String of(String name) {
    String file = encoded(name);
    return RESERVED.matcher(file).matches() ? file + NOT_RESERVED : file;
  }

  private static String encoded(String name) {
    StringBuilder file = new StringBuilder();
    for (char each : name.toCharArray()) {
      if (each < 0x80 && Character.isLetterOrDigit(each) || each == '_') {
        file.append(each);
      } else {
        String code = LETTERS.get(each);
        file.append('@').append(code == null ? "%04x".formatted((int) each) : code);
      }
    }
    return file.toString();
  }

  /** The catalog's name for a file name; other texts stay unchanged. */
  public static String read(String whole) {
    String file =
        whole.endsWith(NOT_RESERVED)
            ? whole.substring(0, whole.length() - NOT_RESERVED.length())
            : whole;
    StringBuilder name = new StringBuilder();
    for (int i = 0; i < file.length(); i++) {
      Character letter =
          file.charAt(i) == '@' && i + 3 <= file.length()
              ? CODES.get(file.substring(i + 1, i + 3))
              : null;
      if (letter != null) {
        name.append((char) letter);
        i += 2;
      } else if (file.startsWith("@", i)
          && file.length() >= i + 5
          && file.substring(i + 1, i + 5).matches("[0-9a-f]{4}")) {
        name.append((char) Integer.parseInt(file.substring(i + 1, i + 5), 16));
        i += 4;
      } else {
        name.append(file.charAt(i));
      }
    }
    return name.toString();
  }

  /** The name that InnoDB gives to a table, or begins those of its partitions with. */
  public static String of(TableId table) {
    return of(table.schema()) + "/" + of(table.name());
  }

  private static Map<Character, String> letters() {
    Map<Character, String> letters = new HashMap<>();
    try (InputStream content = FileName.class.getResourceAsStream(RESOURCE);
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(content, StandardCharsets.US_ASCII))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        int first = Integer.parseInt(line.substring(0, 4), 16);
        String codes = line.substring(5);
        for (int i = 0; i < codes.length(); i += 2) {
          letters.put((char) (first + i / 2), codes.substring(i, i + 2));
        }
      }
      return letters;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
