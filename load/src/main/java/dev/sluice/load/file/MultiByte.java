package dev.sluice.load.file;

import java.util.Locale;
import java.util.Map;

/**
 * Character lengths in encodings where a byte below 128 may be part of a longer character and must
 * not be read as a backslash or quote. Stateless.
 */
enum MultiByte {
  /** Each byte below 128 is a character: UTF-8, ISO 8859, EUC and the like. */
  PLAIN,
  /** A byte from 0x80 on begins a character of two bytes. */
  PAIRS,
  /** Like {@link #PAIRS}, except for one-byte katakana. */
  SHIFT_JIS,
  /** Two bytes, or four if the second one is a digit. */
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
   * @param encoding PostgreSQL's name; only letters and digits count
   */
  static MultiByte of(String encoding) {
    String name = encoding.toUpperCase(Locale.ROOT).replaceAll("[^A-Z0-9]", "");
    if (name.equals("WIN936") || name.equals("WIN949") || name.equals("WIN950")) {
      return PAIRS;
    }
    return BY_NAME.getOrDefault(name, PLAIN);
  }

  /** How many bytes follow a first byte from 0x80 on, as far as that byte shows. */
  int after(int first) {
    return switch (this) {
      case PLAIN -> 0;
      case PAIRS, GB18030 -> 1;
      case SHIFT_JIS -> first >= 0xA1 && first <= 0xDF ? 0 : 1;
    };
  }

  /** How many more bytes follow a second byte. */
  int afterSecond(int second) {
    return this == GB18030 && second >= '0' && second <= '9' ? 2 : 0;
  }
}
