package dev.sluice.connector.mariadb.capture.stream;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Set;

/*
 * A packet: length 3 | number 1 | payload. The server greets, and answers the login: 0 it is done |
 * 255 refused | 254 log in by another plugin, such as mysql_clear_password: its name, 0, data;
 * without a name by that of MySQL 4.0 | 1 data of the plugin. With caching_sha2_password a 3 there is
 * success, and a 4 asks for the password: the client of the log would encrypt it with any key that
 * it is sent then.
 */
/**
 * Reads what a server sends at a login without TLS. Fails, before the client of the log sees it, if
 * the server asks for the password in a way that reveals it to others. Everything after the login
 * is passed on. Owned by the thread that reads.
 */
final class OpenLogin extends FilterInputStream {
  /** Authentication plugins that do not reveal the password. */
  private static final Set<String> HIDING =
      Set.of("mysql_native_password", "caching_sha2_password");

  private static final int DONE = 0;
  private static final int DATA = 1;
  private static final int SWITCH = 254;
  private static final int REFUSED = 255;
  private static final int FAST_SUCCESS = 3;

  private static final int HEADER = 4;

  /** How many bytes of an answer are kept; the name of a plugin is shorter. */
  private static final int KEPT = 256;

  private final byte[] packet = new byte[HEADER + KEPT];
  private int at;
  private boolean greeted;
  private boolean done;

  OpenLogin(InputStream in) {
    super(in);
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
  }

  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    int read = in.read(bytes, offset, length);
    for (int i = 0; i < read && !done; i++) {
      take(bytes[offset + i]);
    }
    return read;
  }

  private void take(byte next) throws RefusedLogin {
    if (at < packet.length) {
      packet[at] = next;
    }
    at++;
    if (at < HEADER || at < HEADER + length()) {
      return;
    }
    if (greeted) {
      judge(Arrays.copyOfRange(packet, HEADER, Math.min(at, packet.length)));
    }
    greeted = true;
    at = 0;
  }

  private int length() {
    return packet[0] & 0xFF | (packet[1] & 0xFF) << 8 | (packet[2] & 0xFF) << 16;
  }

  private void judge(byte[] answer) throws RefusedLogin {
    if (answer.length == 0) {
      throw new RefusedLogin("a login in an empty packet");
    }
    int kind = answer[0] & 0xFF;
    switch (kind) {
      case DONE, REFUSED -> done = true;
      case DATA -> {
        if (answer.length != 2 || answer[1] != FAST_SUCCESS) {
          throw new RefusedLogin("caching_sha2_password, which asks for the password itself");
        }
      }
      case SWITCH -> {
        String plugin = plugin(answer);
        if (!HIDING.contains(plugin)) {
          throw new RefusedLogin(plugin.isEmpty() ? "mysql_old_password" : plugin);
        }
      }
      default -> throw new RefusedLogin("an unknown answer of type " + kind);
    }
  }

  private static String plugin(byte[] answer) {
    int end = 1;
    while (end < answer.length && answer[end] != 0) {
      end++;
    }
    return new String(answer, 1, end - 1, StandardCharsets.ISO_8859_1).replaceAll("[^\\w.-]", "?");
  }
}
