package dev.sluice.load.file;

import java.util.Locale;
import java.util.Map;

/**
 * How many bytes a character has, in the encodings where a byte below 128 may be a part of a longer
 * character and so must not be taken for a backslash or a quote. Stateless.
 */
enum MultiByte {
  /** Each byte below 128 is a character: UTF-8, ISO 8859, EUC and the like. */
  PLAIN,
  /** Two bytes from 0x80 on. */
  PAIRS,
  /** The same but for one-byte katakana. */
  SHIFT_JIS,
  /** Two bytes, or four where the second is a digit. */
  GB18030;

  private static final Map<String, MultiByte> BY_NAME =
      Map.of(
          "BIG5", PAIRS,
          "GBK", PAIRS,
          "UHC", PAIRS,
          "JOHAB", PAIRS,
          "SJIS", SHIFT_JIS,
          "SHIFTJIS2004", SHIFT_JIS,
          "GB18030", GB18030,
          "MSKANJI", SHIFT_JIS,
          "SHIFTJIS", SHIFT_JIS,
          "WIN932", SHIFT_JIS);

  /**
   * @param encoding as PostgreSQL calls it; it looks at letters and digits only
   */
  static MultiByte of(String encoding) {
    String name = encoding.toUpperCase(Locale.ROOT).replaceAll("[^A-Z0-9]", "");
    if (name.equals("WIN936") || name.equals("WIN949") || name.equals("WIN950")) {
      return PAIRS;
    }
    return BY_NAME.getOrDefault(name, PLAIN);
  }

  /** How many bytes follow a first byte from 0x80 on, as far as it alone tells. */
  int after(int first) {
    return switch (this) {
      case PLAIN -> 0;
      case PAIRS, GB18030 -> 1;
      case SHIFT_JIS -> first >= 0xA1 && first <= 0xDF ? 0 : 1;
    };
  }

  /** How many more follow a second byte. */
  int afterSecond(int second) {
    return this == GB18030 && second >= '0' && second <= '9' ? 2 : 0;
  }
}
