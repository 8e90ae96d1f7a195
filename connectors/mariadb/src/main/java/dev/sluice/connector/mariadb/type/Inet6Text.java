package dev.sluice.connector.mariadb.type;

/** The text of an address of IPv6 as PostgreSQL prints it. Stateless. */
public final class Inet6Text {
  private static final int WORDS = 8;

  private Inet6Text() {}

  public static String of(byte[] address) {
    int[] words = new int[WORDS];
    for (int i = 0; i < WORDS; i++) {
      words[i] = (address[2 * i] & 0xFF) << 8 | address[2 * i + 1] & 0xFF;
    }
    int from = 0;
    int count = 0;
    for (int i = 0; i < WORDS; i++) {
      int end = i;
      while (end < WORDS && words[end] == 0) {
        end++;
      }
      if (end - i > count) {
        from = i;
        count = end - i;
      }
    }
    boolean skips = count > 1;
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < WORDS; i++) {
      if (skips && i == from) {
        text.append(i == 0 ? "::" : ":");
        i += count - 1;
      } else if (i == 6 && skips && from == 0 && endsAsInet4(words, count)) {
        return text.append(words[6] >> 8)
            .append('.')
            .append(words[6] & 0xFF)
            .append('.')
            .append(words[7] >> 8)
            .append('.')
            .append(words[7] & 0xFF)
            .toString();
      } else {
        text.append(Integer.toHexString(words[i])).append(i < WORDS - 1 ? ":" : "");
      }
    }
    return text.toString();
  }

  private static boolean endsAsInet4(int[] words, int zeros) {
    return zeros == 6 || zeros == 5 && words[5] == 0xFFFF;
  }
}
