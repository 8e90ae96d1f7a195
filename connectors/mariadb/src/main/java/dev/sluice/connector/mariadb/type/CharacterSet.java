package dev.sluice.connector.mariadb.type;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
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
 * @param longest the bytes of its longest character
 */
public record CharacterSet(String name, Charset java, int longest) {
  private static final Charset LATIN1 = Charset.forName("windows-1252");

  /** Those that agree with the server on every character, as a test finds. */
  private static final Map<String, CharacterSet> KNOWN =
      Map.ofEntries(
          known("utf8mb4", "UTF-8", 4),
          known("utf8mb3", "UTF-8", 3),
          known("utf8", "UTF-8", 3),
          known("ascii", "US-ASCII", 1),
          known("latin1", "windows-1252", 1),
          known("latin2", "ISO-8859-2", 1),
          known("latin5", "ISO-8859-9", 1),
          known("latin7", "ISO-8859-13", 1),
          known("greek", "ISO-8859-7", 1),
          known("hebrew", "ISO-8859-8", 1),
          known("cp1250", "windows-1250", 1),
          known("cp1251", "windows-1251", 1),
          known("cp1256", "windows-1256", 1),
          known("cp1257", "windows-1257", 1),
          known("koi8r", "KOI8-R", 1),
          known("koi8u", "KOI8-U", 1),
          known("cp850", "IBM850", 1),
          known("cp852", "IBM852", 1),
          known("cp866", "IBM866", 1),
          known("tis620", "TIS-620", 1),
          known("ucs2", "UTF-16BE", 2),
          known("utf16", "UTF-16BE", 4),
          known("utf16le", "UTF-16LE", 4),
          known("utf32", "UTF-32BE", 4),
          known("gbk", "GBK", 2),
          known("gb2312", "GB2312", 2),
          known("big5", "Big5", 2),
          known("euckr", "EUC-KR", 2),
          known("ujis", "EUC-JP", 3),
          known("sjis", "Shift_JIS", 2),
          known("cp932", "windows-31j", 2));

  /** Values that are no texts. */
  static final CharacterSet BINARY = new CharacterSet("binary", null, 1);

  private static Map.Entry<String, CharacterSet> known(String name, String java, int longest) {
    return Map.entry(name, new CharacterSet(name, Charset.forName(java), longest));
  }

  /** The character set of a name; empty if its texts cannot be decoded. */
  public static Optional<CharacterSet> named(String name) {
    return name.equals(BINARY.name) ? Optional.of(BINARY) : Optional.ofNullable(KNOWN.get(name));
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
    CharBuffer text =
        java.newDecoder()
            .onMalformedInput(CodingErrorAction.REPORT)
            .onUnmappableCharacter(CodingErrorAction.REPORT)
            .decode(ByteBuffer.wrap(bytes, from, length));
    return text.toString();
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
