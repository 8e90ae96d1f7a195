package dev.sluice.load.file;

import dev.sluice.config.settings.FileFormat;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.Charset;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The part of a file before its first row: a byte order mark and the header. */
record FileHead(LineEnd lineEnd, List<String> names, long firstByte, long firstLine) {
  private static final byte[] MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};
  private static final int STEP = 16 * 1024;

  static FileHead read(InputStream in, FileFormat format, int longestRecord) throws IOException {
    byte[] bytes = new byte[0];
    while (true) {
      int known = bytes.length;
      int wanted = Math.max(STEP, known);
      byte[] more = in.readNBytes(wanted);
      bytes = Arrays.copyOf(bytes, known + more.length);
      System.arraycopy(more, 0, bytes, known, more.length);
      boolean whole = more.length < wanted;
      int mark = markLength(bytes, format);
      FirstRecord first = FirstRecord.of(bytes, mark, format, whole);
      if (first == null) {
        if (bytes.length > longestRecord) {
          throw new DataFile.HeaderException(
              "the first record does not end within "
                  + longestRecord
                  + " bytes: a quote that is never closed, or other line breaks than the format's");
        }
        continue;
      }
      if (!format.header()) {
        return new FileHead(first.lineEnd(), List.of(), mark, 1);
      }
      if (first.end() == mark) {
        throw new DataFile.HeaderException("the file is empty, and should begin with a header");
      }
      String text = new String(bytes, mark, first.contentEnd() - mark, charset(format.encoding()));
      return new FileHead(
          first.lineEnd(),
          HeaderNames.of(text, format),
          first.end(),
          1 + Math.max(1, first.lines()));
    }
  }

  private static int markLength(byte[] bytes, FileFormat format) {
    boolean utf8 =
        format.encoding().toUpperCase(Locale.ROOT).replaceAll("[^A-Z0-9]", "").equals("UTF8");
    return utf8
            && bytes.length >= MARK.length
            && Arrays.equals(bytes, 0, MARK.length, MARK, 0, MARK.length)
        ? MARK.length
        : 0;
  }

  private static Charset charset(String encoding) throws DataFile.HeaderException {
    String name = encoding.toUpperCase(Locale.ROOT).replaceAll("[^A-Z0-9]", "");
    String java =
        switch (name) {
          case "UTF8", "UNICODE", "SQLASCII" -> "UTF-8";
          case "SJIS", "SHIFTJIS", "MSKANJI", "WIN932" -> "windows-31j";
          case "UHC", "WIN949" -> "x-windows-949";
          case "JOHAB" -> "x-Johab";
          case "EUCJP" -> "EUC-JP";
          case "EUCKR" -> "EUC-KR";
          case "EUCCN" -> "GB2312";
          case "KOI8R", "KOI8" -> "KOI8-R";
          case "KOI8U" -> "KOI8-U";
          case "LATIN9" -> "ISO-8859-15";
          default ->
              name.startsWith("LATIN")
                  ? latin(name)
                  : name.startsWith("ISO8859")
                      ? "ISO-8859-" + name.substring(7)
                      : name.startsWith("WIN") ? "windows-" + name.substring(3) : name;
        };
    try {
      return Charset.forName(java);
    } catch (IllegalArgumentException e) {
      throw new DataFile.HeaderException(
          "a header in the encoding "
              + encoding
              + " cannot be read here; name the columns in the task file and leave the header out");
    }
  }

  /** The ISO 8859 name of one of PostgreSQL's Latin encodings; from 5 on their numbers differ. */
  private static String latin(String name) {
    return switch (name.substring("LATIN".length())) {
      case "5" -> "ISO-8859-9";
      case "6" -> "ISO-8859-10";
      case "7" -> "ISO-8859-13";
      case "8" -> "ISO-8859-14";
      case "10" -> "ISO-8859-16";
      default -> "ISO-8859-" + name.substring("LATIN".length());
    };
  }

  /**
   * The first record of a file.
   *
   * @param end offset after its line break
   * @param contentEnd offset before its line break
   */
  private record FirstRecord(LineEnd lineEnd, int end, int contentEnd, long lines) {

    /**
     * @return null if more bytes are needed
     */
    static FirstRecord of(byte[] bytes, int from, FileFormat format, boolean whole) {
      RecordScanner byFeed = new RecordScanner(format, LineEnd.LINE_FEED);
      RecordScanner byReturn = new RecordScanner(format, LineEnd.CARRIAGE_RETURN);
      int feed = byFeed.next(bytes, from, bytes.length);
      int carriage = byReturn.next(bytes, from, bytes.length);
      if (carriage == bytes.length && feed < 0 && !whole) {
        // A line feed may follow.
        return null;
      }
      boolean returnAlone = carriage >= 0 && (feed < 0 || carriage < feed) && carriage != feed - 1;
      if (returnAlone) {
        return new FirstRecord(LineEnd.CARRIAGE_RETURN, carriage, carriage - 1, byReturn.lines());
      }
      if (feed >= 0) {
        boolean both = feed - 2 >= from && bytes[feed - 2] == '\r';
        return new FirstRecord(LineEnd.LINE_FEED, feed, feed - (both ? 2 : 1), byFeed.lines());
      }
      return whole ? new FirstRecord(LineEnd.LINE_FEED, bytes.length, bytes.length, 1) : null;
    }
  }
}
