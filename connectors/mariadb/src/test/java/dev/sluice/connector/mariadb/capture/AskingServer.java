package dev.sluice.connector.mariadb.capture;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Answers in the place of a server, without TLS, and asks each login for the password by a plugin.
 * Keeps what it is sent behind the question.
 */
final class AskingServer implements AutoCloseable {
  /** Greets as a server that knows plugins: PROTOCOL_41, SECURE_CONNECTION, PLUGIN_AUTH. */
  private static final int CAPABILITIES = 0x0000_0200 | 0x0000_8000 | 0x0008_0000 | 0x8;

  private static final String SCRAMBLE = "abcdefghijklmnopqrst";

  private final ServerSocket listening;
  private final String greeting;
  private final String plugin;
  private final Thread thread;

  /** Of each connection what it sent behind the first question. */
  private final BlockingQueue<List<byte[]>> answers = new LinkedBlockingQueue<>();

  /** All that it was sent, each with its packet. */
  private final List<byte[]> received = new CopyOnWriteArrayList<>();

  private AskingServer(String greeting, String plugin) throws IOException {
    this.greeting = greeting;
    this.plugin = plugin;
    this.listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    this.thread = new Thread(this::listen, "asking-server");
    thread.start();
  }

  /**
   * @param plugin by which it asks; without a name for that of MySQL 4.0
   */
  static AskingServer by(String plugin) {
    return by("mysql_native_password", plugin);
  }

  /**
   * @param greeting the plugin that its greeting names
   * @param plugin by which it asks then
   */
  static AskingServer by(String greeting, String plugin) {
    try {
      return new AskingServer(greeting, plugin);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  int port() {
    return listening.getLocalPort();
  }

  /** What the next connection sent behind the question, until it ended. */
  List<byte[]> answers() throws InterruptedException {
    return answers.take();
  }

  /** All packets of all connections. Complete once it is closed. */
  List<byte[]> received() {
    return List.copyOf(received);
  }

  @Override
  public void close() throws IOException {
    listening.close();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void listen() {
    while (!listening.isClosed()) {
      try (Socket socket = listening.accept()) {
        talk(socket);
      } catch (SocketException e) {
        // It was closed, or the client went away.
      } catch (IOException | GeneralSecurityException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private void talk(Socket socket) throws IOException, GeneralSecurityException {
    List<byte[]> sent = new ArrayList<>();
    DataInputStream in = new DataInputStream(socket.getInputStream());
    OutputStream out = socket.getOutputStream();
    boolean asked = false;
    try {
      send(out, 0, greeting());
      ByteArrayOutputStream login = new ByteArrayOutputStream();
      int number = packet(in, login);
      received.add(login.toByteArray());
      send(out, number + 1, question());
      asked = true;
      boolean full = false;
      while (true) {
        ByteArrayOutputStream answer = new ByteArrayOutputStream();
        number = packet(in, answer);
        sent.add(answer.toByteArray());
        received.add(answer.toByteArray());
        if (!plugin.equals("caching_sha2_password")) {
          continue;
        }
        send(out, number + 1, full ? key() : new byte[] {1, 4});
        full = true;
      }
    } catch (EOFException | SocketException e) {
      // The client ended it.
    } finally {
      if (asked) {
        answers.add(sent);
      }
    }
  }

  private byte[] greeting() {
    ByteArrayOutputStream packet = new ByteArrayOutputStream();
    packet.write(10);
    text(packet, "11.4.5-MariaDB");
    packet.writeBytes(new byte[] {1, 0, 0, 0});
    text(packet, SCRAMBLE.substring(0, 8));
    packet.write(CAPABILITIES);
    packet.write(CAPABILITIES >> 8);
    packet.write(45);
    packet.writeBytes(new byte[] {2, 0});
    packet.write(CAPABILITIES >> 16);
    packet.write(CAPABILITIES >> 24);
    packet.write(SCRAMBLE.length() + 1);
    packet.writeBytes(new byte[10]);
    text(packet, SCRAMBLE.substring(8));
    text(packet, greeting);
    return packet.toByteArray();
  }

  private byte[] question() {
    ByteArrayOutputStream question = new ByteArrayOutputStream();
    question.write(254);
    if (!plugin.isEmpty()) {
      text(question, plugin);
      if (plugin.equals("dialog")) {
        question.write(4);
        question.writeBytes("Password: ".getBytes(StandardCharsets.US_ASCII));
      } else {
        text(question, SCRAMBLE);
      }
    }
    return question.toByteArray();
  }

  private static byte[] key() throws GeneralSecurityException {
    KeyPairGenerator keys = KeyPairGenerator.getInstance("RSA");
    keys.initialize(2048);
    ByteArrayOutputStream key = new ByteArrayOutputStream();
    key.write(1);
    key.writeBytes(
        ("-----BEGIN PUBLIC KEY-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'})
                    .encodeToString(keys.generateKeyPair().getPublic().getEncoded())
                + "\n-----END PUBLIC KEY-----\n")
            .getBytes(StandardCharsets.US_ASCII));
    return key.toByteArray();
  }

  private static void text(ByteArrayOutputStream to, String text) {
    to.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
    to.write(0);
  }

  private static void send(OutputStream out, int number, byte[] payload) throws IOException {
    ByteArrayOutputStream packet = new ByteArrayOutputStream();
    packet.write(payload.length);
    packet.write(payload.length >> 8);
    packet.write(payload.length >> 16);
    packet.write(number);
    packet.writeBytes(payload);
    out.write(packet.toByteArray());
    out.flush();
  }

  /** Reads a packet. Returns its number. */
  private static int packet(DataInputStream in, ByteArrayOutputStream to) throws IOException {
    int length = in.readUnsignedByte() | in.readUnsignedByte() << 8 | in.readUnsignedByte() << 16;
    int number = in.readUnsignedByte();
    to.writeBytes(in.readNBytes(length));
    return number;
  }
}
