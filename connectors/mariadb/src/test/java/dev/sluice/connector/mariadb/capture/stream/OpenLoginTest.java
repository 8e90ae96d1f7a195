package dev.sluice.connector.mariadb.capture.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Which of a server's answers to a login the client of the log sees. */
class OpenLoginTest {
  private static final byte[] GREETING = {10, '9', 0};
  private static final byte[] DONE = {0, 0, 0};

  @Test
  void anEmptyPacketIsNoEndOfALoginBehindWhichAServerMayAskForThePassword() {
    byte[] question = "\u00femysql_clear_password\0".getBytes(StandardCharsets.ISO_8859_1);
    assertThatThrownBy(() -> read(GREETING, new byte[0], question))
        .isInstanceOf(RefusedLogin.class)
        .hasMessageContaining("empty packet");
  }

  @Test
  void whatComesBehindALoginIsPassedOn() throws IOException {
    assertThat(read(GREETING, DONE, new byte[0], new byte[] {(byte) 254}))
        .hasSize(4 * 4 + 3 + 3 + 1);
  }

  private static byte[] read(byte[]... packets) throws IOException {
    ByteArrayOutputStream sent = new ByteArrayOutputStream();
    for (int i = 0; i < packets.length; i++) {
      sent.writeBytes(new byte[] {(byte) packets[i].length, 0, 0, (byte) i});
      sent.writeBytes(packets[i]);
    }
    try (OpenLogin login = new OpenLogin(new ByteArrayInputStream(sent.toByteArray()))) {
      return login.readAllBytes();
    }
  }
}
