package dev.sluice.embedded.postgres.strict;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * One message of PostgreSQL's wire protocol, of either direction. Immutable.
 *
 * @param type its first byte
 * @param body what follows its length
 */
record WireMessage(char type, byte[] body) {

  /** Reads the next message. */
  static WireMessage read(DataInputStream in) throws IOException {
    char type = (char) in.readUnsignedByte();
    byte[] body = new byte[in.readInt() - 4];
    in.readFully(body);
    return new WireMessage(type, body);
  }

  /** A message that consists of texts, each with a zero byte after it, and of bytes after them. */
  static WireMessage of(char type, byte[] rest, String... texts) {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    for (String text : texts) {
      body.writeBytes(text.getBytes(StandardCharsets.UTF_8));
      body.write(0);
    }
    body.writeBytes(rest);
    return new WireMessage(type, body.toByteArray());
  }

  void write(DataOutputStream out) throws IOException {
    out.writeByte(type);
    out.writeInt(body.length + 4);
    out.write(body);
  }

  /** The text that begins at a byte and ends before the next zero byte. */
  String text(int from) {
    return new String(body, from, end(from) - from, StandardCharsets.UTF_8);
  }

  /** The zero byte that ends the text which begins at a byte. */
  int end(int from) {
    int end = from;
    while (body[end] != 0) {
      end++;
    }
    return end;
  }

  /** The bytes from one on. */
  byte[] after(int from) {
    byte[] rest = new byte[body.length - from];
    System.arraycopy(body, from, rest, 0, rest.length);
    return rest;
  }
}
