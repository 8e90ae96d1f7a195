package dev.sluice.connector.mariadb.type;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;

/**
 * A character set of MariaDB whose texts can be decoded exactly as the server does. Immutable.
 *
 * @param name as the server names it
 * @param java null for {@code binary}, whose values are bytes
 * @param differences pairs of a character that Java gives and the one that the server has instead
 */
public record CharacterSet(String name, Charset java, String differences) {
  private static final Charset LATIN1 = Charset.forName("windows-1252");

  /** Those that agree with the server on every character, as a test finds. */
  private static final Map<String, CharacterSet> KNOWN =
      Map.ofEntries(
          known("utf8mb4", "UTF-8"),
          known("utf8mb3", "UTF-8"),
          known("utf8", "UTF-8"),
          known("ascii", "US-ASCII"),
          known("latin1", "windows-1252"),
          known("latin2", "ISO-8859-2"),
          known("latin5", "ISO-8859-9"),
          known("latin7", "ISO-8859-13"),
          known("greek", "ISO-8859-7", "\u2019\u02BC\u2018\u02BD"),
          known("hebrew", "ISO-8859-8", "\u00AF\u203E"),
          known("cp1250", "windows-1250"),
          known("cp1251", "windows-1251"),
          known("cp1256", "windows-1256"),
          known("cp1257", "windows-1257"),
          known("koi8r", "KOI8-R"),
          known("koi8u", "KOI8-U", "\u2219\u2022"),
          known("cp850", "IBM850"),
          known("cp852", "IBM852"),
          known("cp866", "IBM866", "\u00A4\u00B2\u2116\u207F"),
          known("ucs2", "UTF-16BE"),
          known("utf16", "UTF-16BE"),
          known("utf16le", "UTF-16LE"),
          known("gbk", "GBK", "\u2641\u2295"),
          known("gb2312", "GB2312"),
          known("cp932", "windows-31j"));

  /** Values that are no texts. */
  static final CharacterSet BINARY = new CharacterSet("binary", null, "");

  private static Map.Entry<String, CharacterSet> known(String name, String java) {
    return known(name, java, "");
  }

  private static Map.Entry<String, CharacterSet> known(
      String name, String java, String differences) {
    return Map.entry(name, new CharacterSet(name, Charset.forName(java), differences));
  }

  /** The character set of a name; empty if its texts cannot be decoded. */
  public static Optional<CharacterSet> named(String name) {
    return name.equals(BINARY.name) ? Optional.of(BINARY) : Optional.ofNullable(KNOWN.get(name));
  }

  /**
   * The text of a statement's bytes; empty if they cannot be decoded exactly. Bytes without a
   * character set are taken for UTF-8.
   */
  public static Optional<String> textOf(String name, byte[] bytes) {
    try {
      CharacterSet set = name.equals(BINARY.name) ? KNOWN.get("utf8mb4") : KNOWN.get(name);
      return set == null ? ascii(bytes) : Optional.of(set.decode(bytes, 0, bytes.length));
    } catch (CharacterCodingException e) {
      return Optional.empty();
    }
  }

  /** Every character set that a session may have contains ASCII. */
  private static Optional<String> ascii(byte[] bytes) {
    for (byte each : bytes) {
      if (each < 0) {
        return Optional.empty();
      }
    }
    return Optional.of(new String(bytes, StandardCharsets.US_ASCII));
  }

  boolean isBinary() {
    return java == null;
  }

  /** Whether its texts are UTF-8, which is what a row has. */
  boolean isUtf8() {
    return java == StandardCharsets.UTF_8;
  }

  /**
   * Decodes a text.
   *
   * @throws CharacterCodingException if the bytes are no text of this character set
   */
  String decode(byte[] bytes, int from, int length) throws CharacterCodingException {
    if (java.equals(LATIN1)) {
      return latin1(bytes, from, length);
    }
    String text =
        java.newDecoder()
            .onMalformedInput(CodingErrorAction.REPORT)
            .onUnmappableCharacter(CodingErrorAction.REPORT)
            .decode(ByteBuffer.wrap(bytes, from, length))
            .toString();
    for (int i = 0; i < differences.length(); i += 2) {
      text = text.replace(differences.charAt(i), differences.charAt(i + 1));
    }
    return text;
  }

  /** The server has control characters where windows-1252 has nothing. */
  private static String latin1(byte[] bytes, int from, int length) {
    char[] text = new String(bytes, from, length, LATIN1).toCharArray();
    for (int i = 0; i < text.length; i++) {
      if (text[i] == '\uFFFD') {
        text[i] = (char) (bytes[from + i] & 0xFF);
      }
    }
    return new String(text);
  }
}
